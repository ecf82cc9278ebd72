import { noChange } from 'lit';
import { directive, Directive, type ElementPart } from 'lit/directive.js';

/** Sets attributes whose names are known only at runtime. */
class AttributesDirective extends Directive {
  #set: Readonly<Record<string, string>> = {};

  render(_values: Readonly<Record<string, string>>): unknown {
    return noChange;
  }

  override update({ element }: ElementPart, [values]: Parameters<this['render']>): unknown {
    for (const name of Object.keys(this.#set)) if (values[name] === undefined) element.removeAttribute(name);
    for (const [name, value] of Object.entries(values))
      if (this.#set[name] !== value) element.setAttribute(name, value);
    this.#set = values;
    return noChange;
  }
}

/**
 * Sets an element's attributes and removes those that are no longer listed: `<pulse-card ${attributes({ open: '' })}>`.
 */
export const attributes = directive(AttributesDirective);
