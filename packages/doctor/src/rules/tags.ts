import { isSourceId } from '@pulse-card/contract';
import { closestMatch } from 'leven';
import { frameSourceId, type Located, type PageFacts } from '../facts.ts';
import { type Finding, findingOf } from '../finding.ts';
import { CARD_TAGS, type PageElement, tagText } from '../html.ts';

/** Attributes that people mistakenly write instead of `source-id`. */
const ALIASES = ['data-source-id', 'data-source', 'source', 'src', 'pulse-id'];

/** Maximum number of listed IDs to suggest. */
const MAX_CHOICES = 10;

/** Reports errors in the cards' tags. */
export function tagFindings(facts: PageFacts): (Finding | undefined)[] {
  const { cards, misspelt } = facts.elements;
  return [
    ...misspelt.map(misspeltTag),
    ...facts.scripts.map(({ element }) => notClosed(element)),
    ...cards.flatMap((card) => [notClosed(card), idFinding(card, facts)]),
    ...facts.frames.map((frame) => frameFinding(frame, facts)),
  ];
}

/** The valid IDs that the page shows, without duplicates. */
export function sourceIdsOn({ elements, frames }: Pick<PageFacts, 'elements' | 'frames'>): string[] {
  const ids = [...elements.cards.map(({ attributes }) => attributes['source-id']), ...frames.map(frameSourceId)];
  return [...new Set(ids)].filter((id) => id !== undefined && isSourceId(id));
}

function misspeltTag({ name, attributes, line }: PageElement): Finding {
  const right = closestMatch(name, CARD_TAGS) ?? 'pulse-card';
  return findingOf('tag_misspelt', {
    title: `<${name}> isn’t an element of the widget.`,
    detail: `Line ${line}. The nearest element is <${right}>.`,
    fix: tagText(right, attributes),
  });
}

function notClosed({ isClosed, name, line, attributes }: PageElement): Finding | undefined {
  if (isClosed) return undefined;
  return findingOf('tag_not_closed', {
    title: `<${name}> has no end tag.`,
    detail: `Line ${line}. It needs </${name}>, even if its tag ends with a slash. Otherwise, everything after it becomes its content.`,
    fix: tagText(name, attributes),
  });
}

function idFinding(card: PageElement, facts: PageFacts): Finding | undefined {
  if (card.name !== 'pulse-card') return undefined;
  const { knownIds } = facts.settings;
  const id = card.attributes['source-id'] ?? '';
  const fix = (right: string) => tagText(card.name, { ...card.attributes, 'source-id': right });
  if (id !== '') return unknownId(id, `Line ${card.line}.`, { knownIds, fix });
  const misspelt = Object.keys(card.attributes).find(isNearlySourceId) ?? '';
  const { [misspelt]: meant = knownIds?.[0] ?? 'src_…', ...others } = card.attributes;
  const mayBeSet = misspelt === '' && (facts.elements.hasInlineScripts || facts.otherScripts.length > 0);
  const needed = `It needs a source-id${mayBeSet ? ', unless a script sets its sourceId or pulse' : ''}.`;
  const title = 'A <pulse-card> doesn’t name a source.';
  const detail = `Line ${card.line}. ${misspelt === '' ? needed : `${misspelt} isn’t its attribute; source-id is.`}`;
  const texts = { title, detail, fix: tagText(card.name, { ...others, 'source-id': meant }) };
  return findingOf('source_id_missing', texts, mayBeSet ? 'warning' : 'error');
}

function isNearlySourceId(name: string): boolean {
  if (ALIASES.includes(name)) return true;
  if (name === 'source-id') return false;
  const plain = name.replaceAll('_', '-').replace(/^data-/, '');
  return closestMatch(plain, ['source-id'], { maxDistance: 2 }) !== undefined;
}

function frameFinding(frame: Located, { settings: { knownIds } }: PageFacts): Finding | undefined {
  const { attributes, line } = frame.element;
  const id = frameSourceId(frame);
  const fix = (right: string) => `src="${attributes['src']?.replace(/(?<=\/embed\/)[^?#]*/, right)}"`;
  return unknownId(id, `Line ${line}: an iframe that shows /embed.`, { knownIds, fix });
}

type Choices = Readonly<{ knownIds: readonly string[] | undefined; fix: (right: string) => string }>;

function unknownId(id: string, where: string, { knownIds, fix }: Choices): Finding | undefined {
  const isId: boolean = isSourceId(id);
  if (isId && (knownIds === undefined || knownIds.includes(id))) return undefined;
  const choices = knownIds ?? [];
  // An ID isn't near if more than a third of its letters differ.
  const maxDistance = Math.floor(id.length / 3);
  const near = closestMatch(id, choices, { maxDistance }) ?? closestMatch(id.toLowerCase(), choices, { maxDistance });
  const added = isId ? `PULSE_SOURCES=listed,${id}` : fix('src_…');
  const listed = `${choices.slice(0, MAX_CHOICES).join(', ')}${choices.length > MAX_CHOICES ? ', …' : ''}`;
  const otherwise = choices.length === 0 ? added : `Choose one of the listed sources: ${listed}`;
  return findingOf('source_unknown', {
    title: isId ? `The source "${id}" isn’t known.` : `"${id}" can’t be the ID of a source.`,
    detail: isId
      ? `${where} It isn’t among this account’s sources.${near === undefined ? '' : ` Did you mean "${near}"?`} If the service doesn’t list the ID that you want, add it to PULSE_SOURCES.`
      : `${where} Copy the whole ID, without an ellipsis, a slash, spaces, or curly quotation marks.`,
    fix: near === undefined ? otherwise : fix(near),
  });
}
