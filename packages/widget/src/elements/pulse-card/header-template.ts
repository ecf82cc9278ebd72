import { html, nothing, type TemplateResult } from 'lit';
import { isOverdue } from '../../controllers/resource-state.ts';
import type { Rhythm } from '../../data/pulse.ts';
import { aiNote } from '../../i18n/ai-note.ts';
import { icon } from '../icons.ts';
import { type CardView, levelOf, nameOf } from './card-view.ts';

/** The AI label, with a short form for narrow cards. `id` is the ID of its text. */
export function noteTemplate(view: Pick<CardView, 'messages' | 'aiReviewedBy'>, id: unknown = nothing): TemplateResult {
  const { messages, aiReviewedBy } = view;
  const { lang, aiShort } = messages;
  const note = aiNote(messages, aiReviewedBy);
  // prettier-ignore
  return html`<small part="note" class=${aiReviewedBy ? 'reviewed' : nothing} lang=${lang} title=${note}>${icon('spark')}<span id=${id}>${note}</span><em aria-hidden="true">${aiShort}</em></small>`;
}

/** The name, AI label, badge, and time. If there is no finding, the name is the heading. */
export function headerTemplate(view: CardView, isHeading: boolean): TemplateResult {
  const { messages, ago, absoluteTime } = view;
  const { data } = view.state;
  const name = nameOf(view);
  const badge = badgeOf(view);
  const iso = data?.completedAt;
  const isName = isHeading && name;
  // `dir` is set here, because `auto` on an element that contains a slot would use the host's direction.
  const fallback = name && html`<div dir="auto">${name}</div>`;
  // prettier-ignore
  const title = html`<div part="name" id="name" title=${name ?? nothing} role=${isName ? 'heading' : nothing} aria-level=${isName ? levelOf(view) : nothing}><slot name="name">${fallback}</slot></div>`;
  const hasNote = view.askedHost ?? view.keptPicture ?? data?.aiSummaryShort ?? data?.aiSummaryLong;
  const note = hasNote ? noteTemplate(view, 'note') : nothing;
  const words = badge === 'version' ? view.version : badge && messages[badge];
  // On narrow lines, only this title contains the time.
  const usual = iso && usualOf(view);
  const badgeTitle = [words, ago, usual && messages[usual]].filter(Boolean).join(' · ');
  const times = usual ? [ago, html`<span lang=${messages.lang}> · ${messages[usual]}</span>`] : ago;
  const status =
    badge &&
    html`<span part="status" class=${badge} lang=${messages.lang} title=${badgeTitle}
      >${icon(badge)}<span>${words}</span></span
    >`;
  const time = iso && html`<time part="time" dir="auto" datetime=${iso} title=${absoluteTime(iso)}>${times}</time>`;
  return html`<header part="header">${title}${note}${status}${time}</header>`;
}

/** The source's usual interval, if its next run is overdue. */
function usualOf({ state, version }: CardView): Rhythm['usual'] | undefined {
  return isOverdue(state) && !version ? state.source?.rhythm?.usual : undefined;
}

type Badge = 'badgeSignedOut' | 'version' | 'earlierVersion' | 'updatesPaused' | 'updatesDelayed' | 'overdue' | 'draft';

/** The most serious badge. */
function badgeOf({ state, listing, version }: CardView): Badge | undefined {
  if (version) return 'version';
  if (state.status === 'stale') return state.failure?.code === 'signed_out' ? 'badgeSignedOut' : 'earlierVersion';
  const status = state.data && (state.source?.status ?? listing?.status);
  if (status === 'BROKEN') return 'updatesPaused';
  if (status === 'DEGRADED') return 'updatesDelayed';
  if (isOverdue(state)) return 'overdue';
  return listing && status === 'DRAFT' ? 'draft' : undefined;
}
