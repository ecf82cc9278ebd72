import './base.css';
import './bar.css';
import '../ui/ui.css';
import { LitElement } from 'lit';
import { sendOwnHeader } from './own-header.ts';
import { answerFromFiles, IS_PREVIEW } from './preview.ts';
import { applyStoredScheme } from './scheme-switch.ts';

applyStoredScheme();
if (IS_PREVIEW) answerFromFiles();
else sendOwnHeader();

/** A page in the application. It renders into the light DOM, so that ordinary style sheets apply. */
export abstract class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
