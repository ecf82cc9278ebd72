'use client';

import { createComponent, type EventName } from '@lit/react';
import React, { type DetailedHTMLProps, type HTMLAttributes } from 'react';
import type {
  PulseBoardLoadDetail,
  PulseEmptyDetail,
  PulseErrorDetail,
  PulseLoadDetail,
  PulseToggleDetail,
  PulseUpdateDetail,
} from '../elements/events.ts';
import type {
  AttributesOf,
  ElementHandlersOf,
  ElementOf,
  ElementTag,
  PlainPropertiesOf,
} from '../frameworks/element-types.ts';
import { PulseBoard as PulseBoardElement, PulseCard as PulseCardElement } from '../index.ts';

const CARD_EVENTS = {
  onPulseLoad: 'pulse-load' as EventName<CustomEvent<PulseLoadDetail>>,
  onPulseUpdate: 'pulse-update' as EventName<CustomEvent<PulseUpdateDetail>>,
  onPulseEmpty: 'pulse-empty' as EventName<CustomEvent<PulseEmptyDetail>>,
  onPulseError: 'pulse-error' as EventName<CustomEvent<PulseErrorDetail>>,
  onPulseToggle: 'pulse-toggle' as EventName<CustomEvent<PulseToggleDetail>>,
};

/** `<pulse-card>` as a React component. */
export const PulseCard = createComponent({
  react: React,
  tagName: 'pulse-card',
  elementClass: PulseCardElement,
  displayName: 'PulseCard',
  events: CARD_EVENTS,
});

/** `<pulse-board>` as a React component. */
export const PulseBoard = createComponent({
  react: React,
  tagName: 'pulse-board',
  elementClass: PulseBoardElement,
  displayName: 'PulseBoard',
  events: { ...CARD_EVENTS, onPulseBoardLoad: 'pulse-board-load' as EventName<CustomEvent<PulseBoardLoadDetail>> },
});

type Intrinsic = {
  [Tag in ElementTag]: DetailedHTMLProps<HTMLAttributes<ElementOf<Tag>>, ElementOf<Tag>> &
    AttributesOf<Tag> &
    PlainPropertiesOf<Tag> &
    ElementHandlersOf<Tag> & { class?: string | undefined };
};

declare module 'react' {
  // oxlint-disable-next-line typescript/no-namespace
  namespace JSX {
    interface IntrinsicElements extends Intrinsic {}
  }
}
