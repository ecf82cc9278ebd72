import './base.css';
import './bar.css';
import '../ui/ui.css';
import { LitElement } from 'lit';
import { prepareFetch } from './prepare-fetch.ts';
import { applyStoredScheme } from './scheme-switch.ts';

applyStoredScheme();
prepareFetch();

/** A page in the application. It renders into the light DOM, so that ordinary style sheets apply. */
export abstract class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
