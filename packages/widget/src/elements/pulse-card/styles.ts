import { css, type CSSResult } from 'lit';
import { themeStyles } from '../theme-styles.ts';

/**
 * The look of the card. A folded card is as high as `CARD_HEIGHT` says, in every state and at every width, so that a page
 * can reserve its room; within that, the plate of the chart takes what the other rows leave. Lengths are `em`: the card
 * grows with the text of the page.
 */
export const cardStyles: CSSResult[] = [
  themeStyles,
  css`
    :host {
      display: block;
      container-type: inline-size;
      contain-intrinsic-inline-size: 15em;
      min-width: min(100%, 15em);
      max-width: var(--pulse-card-max-width, none);
    }
    :host([hidden]) {
      display: none;
    }
    :host([fill]) {
      height: 100%;
    }
    :host([fill]) article {
      min-height: 100%;
    }
    article {
      --_extra: var(--pulse-card-extra-height, 0em);
      --_height: calc(56.25cqi + 9.5em + var(--_extra));
      --_side: var(--pulse-card-padding, 0.75em);
      --_inset: 0.375em;
      --_top: 0.75em;
      --_gap: 0.25em;
      --_lines: 4;
      --_air: 0.625em;
      --_foot: 2.5em;
      position: relative;
      display: flex;
      flex-direction: column;
      height: var(--_height);
      max-height: 100%;
      overflow: clip;
      padding: var(--_top) var(--_side) 0;
      background: var(--_background);
      border-radius: var(--pulse-card-radius, 0.75em);
      outline: var(--pulse-card-frame, 1px solid) var(--_border);
      outline-offset: -1px;
    }
    .chart {
      --_height: calc(56.25cqi + 3em + var(--_extra));
    }
    .face {
      flex: 1 1 0;
      display: flex;
      flex-direction: column;
      min-height: 0;
      overflow-y: clip;
      overflow-anchor: none;
    }
    article:has(details[open]) {
      height: auto;
      overflow: hidden auto;
      .face {
        flex: none;
        min-height: calc(var(--_height) - var(--_foot) - var(--_top));
      }
      footer {
        flex: none;
      }
      [part='summary'] {
        -webkit-line-clamp: none;
      }
      [part='chart'] {
        flex-basis: 48cqi;
      }
      [part='lead'] {
        display: none;
      }
    }
    article:has(> slot:only-child) {
      padding: 0;
    }
    ::slotted(svg) {
      flex: none;
    }
    article > slot::slotted(:not(svg)) {
      margin: var(--_top) var(--_side) 0;
    }
    header,
    footer {
      display: flex;
      flex: none;
      align-items: center;
      gap: 0 0.5em;
      color: var(--_muted);
      container: line / inline-size;
    }
    header {
      height: 1.25em;
      line-height: 1.25;
    }
    #name {
      flex: 0 1000000 auto;
      min-width: 0;
    }
    [part='note'],
    #name:not(:has(+ [part='note'])),
    header > i:first-child {
      margin-inline-end: auto;
    }
    #name:not([title]):has(+ [part='note']) {
      margin-inline-end: -0.5em;
    }
    [part='note'] {
      position: relative;
      display: flex;
      flex: none;
      gap: 0.375em;
      align-items: center;
      max-width: 100%;
      overflow: hidden;
      white-space: nowrap;
    }
    [part='note'] svg {
      width: 12px;
      height: 12px;
      fill: var(--_accent);
      stroke: none;
    }
    [part='note'] span {
      overflow: hidden;
      text-overflow: ellipsis;
    }
    [part='note'] em {
      display: none;
      font-style: normal;
    }
    #name,
    time,
    [part='status'] {
      overflow: hidden;
      font-size: 0.8125em;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    #name {
      font-weight: 500;
    }
    #name * {
      width: fit-content;
      max-width: 100%;
      overflow: inherit;
      text-overflow: inherit;
    }
    [part='status'] {
      display: flex;
      align-items: center;
      gap: 0.375em;
      min-width: calc(14px + 1.25em);
      height: calc(1.25em / 0.75);
      padding: 0 0.625em;
      font-size: 0.75em;
      font-weight: 550;
      color: var(--pulse-card-warning, light-dark(#7f4700, #f2bb66));
      background: var(--pulse-card-warning-surface, light-dark(#fcf1dd, #2e2616));
      border-radius: 1em;
      outline: 1px solid transparent;
    }
    .draft,
    .version {
      color: var(--pulse-card-neutral, light-dark(#495160, #c6ccd7));
      background: var(--pulse-card-neutral-surface, light-dark(#edeff3, #272c35));
    }
    [part='summary'] {
      display: -webkit-box;
      max-width: 36em;
      margin-top: var(--_gap);
      overflow: hidden;
      font-size: clamp(1em, 0.8em + 1.1cqi, 1.25em);
      font-weight: 600;
      letter-spacing: -0.012em;
      line-height: 1.3;
      text-align: -webkit-match-parent;
      text-align: match-parent;
      text-wrap: pretty;
      -webkit-box-orient: vertical;
      -webkit-line-clamp: var(--_lines);
    }
    :is(.card, .chart) .face > [part='heading']:last-child {
      flex: 1 1 0;
      min-height: 0;
      overflow: hidden;
      &.cut {
        mask-image: linear-gradient(#000 calc(100% - 3em), transparent);
      }
      [part='summary'] {
        -webkit-line-clamp: none;
      }
    }
    article:has(details[open]) [part='heading'] {
      flex: none !important;
      mask: none !important;
    }
    .face > :is(p, [part='error']) {
      margin-top: var(--_gap);
      font-size: 0.9375em;
      color: var(--_muted);
    }
    [part='chart'] {
      position: relative;
      flex: 1 1 0;
      min-height: 0;
      margin: var(--_air) calc(var(--_inset) - var(--_side)) 0;
      border-radius: var(--_radius);
      clip-path: inset(-2px -2px max(-2px, (4em - 100%) * 1000));
    }
    :host([fill]) [part='chart'] {
      flex-grow: 1000;
      max-height: calc(56.25cqi + 1em);
    }
    .plate {
      background: var(--pulse-card-plate, light-dark(#fff, #dfe2e8));
      isolation: isolate;
      forced-color-adjust: none;
    }
    .chart [part='chart'] {
      margin-bottom: var(--_inset);
    }
    [part='lead'] {
      flex: 1 1 0;
      min-height: 0;
      margin-top: var(--_air);
      overflow: hidden;
      color: var(--_muted);
      clip-path: inset(0 0 max(0px, (3em - 100%) * 1000));
      mask-image: linear-gradient(#000 calc(100% - 3em), transparent);
    }
    [part='image'],
    [part='enlarge'] {
      position: absolute;
      inset: 0;
      width: 100%;
      height: 100%;
      border: 0;
      border-radius: inherit;
    }
    [part='image'] {
      object-fit: contain;
      object-position: bottom;
      mix-blend-mode: multiply;
    }
    [part='enlarge'] {
      cursor: zoom-in;
    }
    [part='enlarge']:focus-visible {
      outline-color: #15181e;
      outline-offset: -2px;
      /* Two colors, because the chart can be light or dark. */
      box-shadow: inset 0 0 0 4px #fff;
    }
    [part='enlarge'] svg {
      position: absolute;
      bottom: 0.125em;
      left: 0.125em;
      width: 2em;
      height: 2em;
      padding: 0.5em;
      color: #15181e;
      background: #fff;
      border-radius: 50%;
      outline: 1px solid #7f8795;
      opacity: 0;
      transition: opacity 150ms;
    }
    :is(:hover, :focus-visible) > svg {
      opacity: 1;
    }
    @media (hover: none) {
      [part='enlarge'] svg {
        opacity: 1;
      }
    }
    [part='actions'] > div {
      display: flex;
    }
    [part='actions'] button {
      display: flex;
      gap: 0.75em;
      align-items: center;
      min-width: 32px;
      min-height: 32px;
      padding: 0 9px;
      color: var(--_muted);
      border: 0;
    }
    .more svg {
      stroke-width: 2.5;
    }
    .missing {
      color: var(--_muted);
      border: 1px dashed var(--_border);
      font-size: 0.8125em;
    }
    .missing img {
      visibility: hidden;
    }
    .missing,
    .notice {
      display: flex;
      flex: 1 1 0;
      flex-direction: column;
      align-items: center;
      justify-content: center;
      gap: 0.75em;
      min-height: 0;
      padding: 0 0 1em;
      text-align: center;
    }
    :is(.notice, .missing) > svg {
      width: 28px;
      height: 28px;
      stroke-width: 1;
      color: var(--_muted);
    }
    article:not(.compact, .text) > .notice:last-child {
      padding-bottom: 4em;
    }
    .notice p {
      max-width: 20em;
      font-size: 0.9375em;
      text-wrap: balance;
    }
    .notice button {
      max-width: 100%;
      white-space: normal;
    }
    [aria-disabled='true'] {
      color: var(--_muted);
    }
    footer {
      position: relative;
      flex-wrap: wrap;
      min-height: var(--_foot);
    }
    footer > div:first-child {
      display: flex;
      flex: 1 1 0;
      flex-wrap: wrap;
      gap: 0 0.75em;
      min-width: 0;
    }
    small,
    a {
      display: block;
      overflow-wrap: normal;
      font-size: 0.75em;
      line-height: 1.25;
      color: var(--_muted);
    }
    [part='source'] {
      display: flex;
      gap: 0.5em;
      align-items: center;
      min-width: 0;
      overflow: clip;
      overflow-clip-margin: 4px;
      white-space: nowrap;
    }
    [part='source'] small {
      min-width: 8px;
    }
    [part='source'] span {
      overflow: hidden;
      text-overflow: ellipsis;
    }
    [part='source'] a {
      display: flex;
      gap: 0.375em;
      align-items: center;
      min-width: 24px;
      min-height: 24px;
      font-size: 0.8125em;
      font-weight: 550;
      color: var(--_accent);
      text-decoration: none;
      &:hover {
        text-decoration: underline;
      }
      &::after {
        content: '\\2197\\fe0e';
        content: '\\2197\\fe0e' / '';
      }
    }
    :is(small, a):has(svg) {
      max-width: 100%;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    .dot {
      width: 8px;
      height: 8px;
      margin-inline-end: 0.5em;
      border: 4px solid;
      border-radius: 50%;
    }
    details {
      display: contents;
    }
    summary {
      display: flex;
      align-items: center;
      gap: 0.5em;
      height: calc(var(--_foot) / 0.8125);
      font-size: 0.8125em;
      font-weight: 550;
      margin-inline: -0.5em;
      padding-inline: 0.5em;
      color: var(--_accent);
      cursor: pointer;
      order: var(--pulse-card-toggle-order, 0);
      outline-offset: -4px !important;
    }
    summary::after {
      content: '';
      width: 0.4em;
      height: 0.4em;
      margin-inline: 0.2em;
      border: solid;
      border-width: 0 2px 2px 0;
      rotate: 45deg;
      translate: 0 -0.1em;
    }
    [open] > summary::after {
      rotate: 225deg;
      translate: 0 0.1em;
    }
    details::details-content {
      flex: 0 0 100%;
    }
    [part='analysis'] {
      flex: 0 0 100%;
      padding: 1em 0 1.25em;
      border-top: 1px solid var(--_border);
    }
    :is([part='lead'], [part='analysis']) > * {
      max-width: 66ch;
      font-size: 0.9375em;
      line-height: 1.6;
      text-wrap: pretty;
    }
    :is([part='lead'], [part='analysis']) > * + * {
      margin-top: 0.75em;
    }
    [part='analysis'] > small {
      font-size: 0.8125em;
    }
    ul,
    ol {
      padding-inline-start: 1.25em;
    }
    strong {
      font-weight: 600;
      color: var(--_color);
    }
    code {
      padding: 0 0.25em;
      background: var(--_surface);
      border-radius: 0.25em;
    }
    [part='skeleton'] {
      display: contents;
    }
    [part='skeleton'] > div {
      flex: 1;
      margin: 1.5em 0.25em 1em;
      background: repeating-linear-gradient(
        var(--pulse-card-skeleton, var(--_border)) 0 1px,
        transparent 1px calc(100% / 3 - 0.34px)
      );
    }
    i {
      flex: none;
      width: 90%;
      height: 0.75em;
      margin-top: 0.75em;
      background: var(--_skeleton);
      border-radius: var(--_radius);
      outline: 1px solid transparent;
    }
    i + i + i {
      width: 45%;
    }
    :is(header, footer) > i {
      width: 25%;
      height: 0.625em;
      margin: 0;
    }
    header > i {
      flex: 0 1 40% !important;
    }
    i:last-child {
      margin-inline-start: auto;
    }
    @container (width >= 20em) {
      .compact:has([part='chart']) {
        padding-inline-end: calc(var(--_picture) + 1em);
      }
      article {
        --_side: var(--pulse-card-padding, 1em);
        --_inset: 0.5em;
        --_top: 1em;
        --_gap: 0.375em;
        --_air: 0.75em;
        --_foot: 2.75em;
      }
    }
    .compact,
    .text {
      --_height: calc(10em + var(--_extra));
      --_top: 0.875em;
      --_gap: 0.25em;
      --_foot: 2.25em;
      .notice {
        flex-flow: wrap;
        align-content: center;
        justify-content: start;
        gap: 0.5em 1em;
        text-align: start;
      }
      .notice p {
        flex: 1 1 8em;
      }
      i + i + i,
      [part='skeleton'] > div {
        display: none;
      }
      [part='skeleton'] > footer {
        margin-top: auto;
      }
    }
    .compact [part='summary'] {
      font-size: 1em;
    }
    .compact:has([part='chart']) {
      --_picture: 34cqi;
    }
    .compact [part='chart'] {
      position: absolute;
      top: 0.75em;
      inset-inline-end: 0.75em;
      width: calc(var(--_picture) - 0.75em);
      height: 8.5em;
      margin: 0;
      overflow: hidden;
      outline: 1px solid var(--_border);
    }
    .compact [part='image'] {
      object-position: center;
    }
    .chart [part='skeleton'] > :is(i, footer) {
      display: none;
    }
    @container (width >= 28em) {
      article {
        --_side: var(--pulse-card-padding, 1.25em);
        --_inset: 0.75em;
        --_top: 1.25em;
        --_gap: 0.375em;
        --_lines: 3;
        --_air: 0.875em;
      }
      .compact,
      .text {
        --_top: 1.125em;
        --_gap: 0.375em;
        footer {
          flex: 0 1 3em;
        }
      }
      .compact:has([part='chart']) {
        --_picture: 40cqi;
      }
      .compact [part='summary'] {
        font-size: 1.0625em;
      }
    }
    @container line (width >= 31.5em) {
      [part='actions'] span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
      [part='actions'] > .more {
        display: none;
      }
    }
    @container line (width < 31.5em) {
      [aria-expanded='false'] + div {
        display: none;
      }
    }
    @container line (width < 25.5em) {
      [part='source'] a span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
    }
    @container (width < 20em) {
      .compact [part='chart'] {
        display: none;
      }
    }
    @container line (width < 25.5em) {
      [part='note'] span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
      [part='note'] em {
        display: block;
      }
    }
    @container line (width < 38em) {
      [part='note']:has(+ :is(.overdue, .version)) span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
      [part='note']:has(+ :is(.overdue, .version)) em {
        display: block;
      }
    }
    @container line (width < 31em) {
      .overdue + time span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
    }
    @container line (width < 28em) {
      [part='note']:has(+ [part='status']) span,
      [part='status'] + time {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
      [part='note']:has(+ [part='status']) em {
        display: block;
      }
    }
    @container line (width < 14em) {
      #name[title] {
        min-width: 4em;
      }
      [part='status'] {
        flex: none;
        min-width: 0;
        padding: 0 0.25em;
      }
      [part='status'] span {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
    }
    @container line (width < 11em) {
      [part='note'],
      [part='status'] {
        margin-inline: -0.25em auto;
      }
      time {
        position: absolute;
        width: 1px;
        clip-path: inset(50%);
      }
    }
    @container (width >= 44em) {
      article {
        --_side: var(--pulse-card-padding, 1.5em);
        --_inset: 0.875em;
        --_top: 1.375em;
        --_gap: 0.5em;
        --_air: 1em;
        --_foot: 3.25em;
      }
    }
    @media (forced-colors: active) {
      .plate {
        background: #fff;
      }
      [part='note'] svg {
        fill: currentcolor;
      }
      [part='image'] {
        mix-blend-mode: normal;
      }
      summary {
        color: LinkText;
      }
    }
    @media screen and (forced-colors: none) {
      .dark-chart .plate {
        background: var(--_background);
      }
      .dark-chart [part='image'] {
        mix-blend-mode: var(--pulse-card-chart-blend, screen);
        filter: var(--pulse-card-chart-filter, invert(1) hue-rotate(180deg) saturate(1.15));
      }
    }
    @media print {
      summary,
      button {
        display: none;
      }
      :host {
        height: auto !important;
      }
      article {
        break-inside: avoid;
        max-height: none;
      }
    }
  `,
];
