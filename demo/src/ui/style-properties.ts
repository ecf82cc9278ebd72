import { noChange } from 'lit';
import { directive, Directive, type ElementPart } from 'lit/directive.js';

/** Sets style properties with a script, which is allowed even by a strict policy that forbids `style` attributes. */
class StylePropertiesDirective extends Directive {
  #set: readonly string[] = [];

  render(_declarations: readonly (readonly [property: string, value: string])[]): unknown {
    return noChange;
  }

  override update(part: ElementPart, [declarations]: Parameters<this['render']>): unknown {
    const { style } = part.element as HTMLElement;
    const names = declarations.map(([property]) => property);
    for (const property of this.#set) if (!names.includes(property)) style.removeProperty(property);
    for (const [property, value] of declarations) style.setProperty(property, value);
    this.#set = names;
    return noChange;
  }
}

/** Sets the style properties of an element: `<div ${styleProperties([['width', '480px']])}>`. */
export const styleProperties = directive(StylePropertiesDirective);
