import { html, type TemplateResult } from 'lit';

/** One of the choices. */
export interface SegmentOption<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly icon?: TemplateResult;
  /** Shows only the icon. The label becomes the accessible name and the tooltip. */
  readonly iconOnly?: boolean;
}

/** The data for a segmented control. */
export interface SegmentedOptions<Value extends string> {
  /** The control's name, for screen readers. */
  readonly label: string;
  readonly options: readonly SegmentOption<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/**
 * A choice between a few values, as radio buttons side by side. The group is one tab stop, and arrow keys move between
 * its values.
 */
export function segmented<Value extends string>(view: SegmentedOptions<Value>): TemplateResult {
  const { label, options, value, onChange } = view;
  return html`<fieldset class="segments">
    <legend class="unseen">${label}</legend>
    ${options.map(
      (option) =>
        html`<label title=${option.iconOnly ? option.label : ''}
          ><input
            type="radio"
            name=${label}
            .value=${option.value}
            .checked=${option.value === value}
            @change=${() => onChange(option.value)}
          /><span>${option.icon}<span class=${option.iconOnly ? 'unseen' : ''}>${option.label}</span></span></label
        >`,
    )}
  </fieldset>`;
}
