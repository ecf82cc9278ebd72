import { isSourceId } from '@pulse-card/contract';
import { closestMatch } from 'leven';
import { errorFinding, type Finding, type FindingCode, warningFinding } from './finding.ts';
import { cardFrames, cardScripts, frameSourceId, type PageFacts } from './page-context.ts';
import type { PageElement } from './page-elements.ts';
import { mayAddCards, mayImportCard, scriptTag } from './script-findings.ts';

/** Attributes of each element: what is none of these, and near to one, is misspelt. */
const SHARED_ATTRIBUTES = ['base-url', 'variant', 'loading', 'live', 'heading-level', 'theme', 'token'];
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  'pulse-card': ['source-id', 'open', 'label', ...SHARED_ATTRIBUTES],
  'pulse-board': ['provider', 'columns', 'sort', ...SHARED_ATTRIBUTES],
};

/** Names that people write for an attribute and that are not near to it. */
const ALIASES: Readonly<Record<string, string>> = {
  'data-source-id': 'source-id',
  'data-source': 'source-id',
  source: 'source-id',
  src: 'source-id',
  'pulse-id': 'source-id',
  'api-base': 'base-url',
  'api-url': 'base-url',
  'data-base-url': 'base-url',
};

/** Attributes that any element may have. */
const GLOBAL =
  /^(?:class|id|style|slot|lang|dir|title|hidden|part|role|tabindex|inert|is|nonce|key|ref)$|^(?:aria-|on|[@:#*[(])/;

/** The values of enumerated attributes; any other value means the default. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  variant: ['card', 'compact', 'chart', 'text'],
  theme: ['auto', 'light', 'dark'],
  loading: ['lazy', 'eager'],
  sort: ['newest', 'attention', 'name'],
  'heading-level': ['2', '3', '4', '5', '6'],
};

/** Most ids to choose from that are named. */
const MAX_CHOICES = 10;

/** What is wrong with the tags of the cards. */
export function tagFindings(facts: PageFacts): Finding[] {
  const { cards, misspelt } = facts.elements;
  return [
    ...missing(facts),
    ...misspelt.map(misspeltTag),
    ...cards.flatMap((card) => [...notClosed(card), ...attributeFindings(card), ...idFindings(card, facts)]),
    ...cardFrames(facts).flatMap((frame) => frameFindings(frame, facts)),
  ];
}

/** The ids that the page shows, each once, where they can be ids. */
export function sourceIdsOn(facts: Pick<PageFacts, 'url' | 'elements' | 'settings'>): string[] {
  const ids = [
    ...facts.elements.cards.map((card) => sourceIdOf(card)),
    ...cardFrames(facts).map((frame) => frameSourceId(frame, facts)),
  ];
  return [...new Set(ids)].filter(isSourceId);
}

/** In `<pulse-card source-id=src_1/>` the slash belongs to the value. */
function sourceIdOf({ attributes, endsWithSlash }: PageElement): string {
  const id = attributes['source-id'] ?? '';
  return endsWithSlash ? id.replace(/\/$/, '') : id;
}

function missing(facts: PageFacts): Finding[] {
  const { elements, settings, sources } = facts;
  if (elements.cards.length > 0 || elements.misspelt.length > 0 || cardFrames(facts).length > 0) return [];
  const hasScript = cardScripts(facts).length > 0;
  const tag = `<pulse-card source-id="${sources.knownIds?.[0] ?? 'src_…'}"></pulse-card>`;
  const texts = {
    title: hasScript ? 'The page loads the script and has no <pulse-card>.' : 'The page has no card.',
    detail: missingDetail(facts),
    fix: hasScript ? tag : `${scriptTag(settings.publicUrl)} ${tag}`,
  };
  const isUnsure = (hasScript ? mayImportCard(facts) : mayAddCards(facts)) && !elements.hasTagAsText;
  return [isUnsure ? warningFinding('card_missing', texts) : errorFinding('card_missing', texts)];
}

function missingDetail(facts: PageFacts): string {
  if (facts.elements.hasTagAsText) return 'The tag is on the page as text: paste it into an HTML block.';
  return mayAddCards(facts)
    ? 'Its HTML as served was read; a tag that a script of the page writes is not seen.'
    : 'No script of the page writes one either.';
}

function misspeltTag({ name, attributes, line }: PageElement): Finding {
  const right = closestMatch(name, Object.keys(ATTRIBUTES)) ?? 'pulse-card';
  return errorFinding('tag_misspelt', {
    title: `<${name}> is not an element of the widget.`,
    detail: `Line ${line}. The nearest is <${right}>.`,
    fix: tagText(right, attributes),
  });
}

function notClosed(card: PageElement): Finding[] {
  if (card.isClosed && !card.endsWithSlash) return [];
  const { name, line, endsWithSlash } = card;
  return [
    errorFinding('tag_not_closed', {
      title: endsWithSlash ? `<${name} /> does not close itself.` : `<${name}> has no end tag.`,
      detail: `Line ${line}. What follows counts as its content, and disappears when the card is shown.`,
      fix: tagText(name, { ...card.attributes, ...(name === 'pulse-card' && { 'source-id': sourceIdOf(card) }) }),
    }),
  ];
}

function attributeFindings(card: PageElement): Finding[] {
  const known = ATTRIBUTES[card.name] ?? [];
  return Object.entries(card.attributes).flatMap(([name, value]) => {
    if (known.includes(name)) return valueFinding(card, name, value);
    const right = rightName(card, name, known);
    // source_id_missing reports a misspelt source-id.
    if (right === undefined || (right === 'source-id' && !card.attributes['source-id'])) return [];
    return attributeFinding(card, 'attribute_misspelt', {
      title: `${name} is not an attribute of <${card.name}>.`,
      detail: `The nearest is ${right}.`,
      attributes: renamed(card.attributes, name, right),
    });
  });
}

function rightName(card: PageElement, name: string, known: readonly string[]): string | undefined {
  if (card.attributes[name] === undefined) return undefined;
  const alias = ALIASES[name];
  if (alias !== undefined) return known.includes(alias) && card.attributes[alias] === undefined ? alias : undefined;
  if (GLOBAL.test(name) || name.length < 3) return undefined;
  const plain = name.replaceAll('_', '-').replace(/^data-/, '');
  return closestMatch(plain, known, { maxDistance: plain.length < 6 ? 1 : 2 });
}

function valueFinding(card: PageElement, name: string, value: string): Finding[] {
  const values = VALUES[name];
  // An empty value is a template's that has nothing to say.
  if (values === undefined || value === '' || values.includes(value)) return [];
  const right = closestMatch(value, values, { maxDistance: 2 }) ?? values[0] ?? '';
  return attributeFinding(card, 'attribute_value', {
    title: `${name} of <${card.name}> is none of ${values.join(', ')}.`,
    detail: `The card takes the default in place of "${value.slice(0, 40)}".`,
    attributes: { ...card.attributes, [name]: right },
  });
}

interface AttributeTexts {
  readonly title: string;
  readonly detail: string;
  readonly attributes: Readonly<Record<string, string>>;
}

function attributeFinding(
  card: PageElement,
  code: FindingCode,
  { title, detail, attributes }: AttributeTexts,
): Finding[] {
  return [warningFinding(code, { title, detail: `Line ${card.line}. ${detail}`, fix: tagText(card.name, attributes) })];
}

function idFindings(card: PageElement, { sources }: PageFacts): Finding[] {
  if (card.name !== 'pulse-card') return [];
  const id = sourceIdOf(card);
  if (id !== '') return idFinding(id, `Line ${card.line}.`, sources.knownIds, (right) => renamedId(card, right));
  const misspelt = Object.keys(card.attributes).find((name) => rightName(card, name, ['source-id']) !== undefined);
  const fix =
    misspelt === undefined
      ? renamedId(card, sources.knownIds?.[0] ?? 'src_…')
      : tagText(card.name, renamed(card.attributes, misspelt, 'source-id'));
  return [
    errorFinding('source_id_missing', {
      title: 'A <pulse-card> names no source.',
      detail: `Line ${card.line}. ${misspelt === undefined ? 'It needs a source-id.' : `${misspelt} is not its attribute; source-id is.`}`,
      fix,
    }),
  ];
}

function frameFindings(frame: PageElement, facts: PageFacts): Finding[] {
  const src = frame.attributes['src'] ?? '';
  const id = frameSourceId(frame, facts);
  const fix = (right: string): string => `src="${src.replace(encodeURIComponent(id), encodeURIComponent(right))}"`;
  return idFinding(id, `Line ${frame.line}: an iframe of /embed.`, facts.sources.knownIds, fix);
}

function idFinding(
  id: string,
  where: string,
  knownIds: readonly string[] | undefined,
  fix: (right: string) => string,
): Finding[] {
  const isId: boolean = isSourceId(id);
  if (isId && (knownIds === undefined || knownIds.includes(id))) return [];
  const nearest = nearestId(id, knownIds);
  if (!isId)
    return [
      errorFinding('source_id_invalid', {
        title: `"${id.slice(0, 80)}" cannot be the id of a source.`,
        detail: `${where} Copy the id whole; an ellipsis, a blank or a curly quotation mark is not part of it.`,
        fix: nearest === undefined ? (choiceOf(knownIds) ?? fix('src_…')) : fix(nearest),
      }),
    ];
  return [
    errorFinding('source_unknown', {
      title: `The source "${id.slice(0, 80)}" is not known.`,
      detail: `${where} It is not among the sources of this account${nearest === undefined ? '' : `; the nearest is "${nearest}"`}. An id that the service does not list is named in PULSE_SOURCES.`,
      fix: nearest === undefined ? (choiceOf(knownIds) ?? `PULSE_SOURCES=listed,${id}`) : fix(nearest),
    }),
  ];
}

/** The id that was meant, most likely; undefined where more than a third of the letters differ. */
function nearestId(id: string, knownIds: readonly string[] = []): string | undefined {
  return closestMatch(id, knownIds, { maxDistance: Math.floor(id.length / 3) });
}

/** Undefined where no source is listed. */
function choiceOf(knownIds: readonly string[] = []): string | undefined {
  if (knownIds.length === 0) return undefined;
  const more = knownIds.length > MAX_CHOICES ? ', …' : '';
  return `Choose one of the listed sources: ${knownIds.slice(0, MAX_CHOICES).join(', ')}${more}`;
}

function renamedId(card: PageElement, id: string): string {
  return tagText(card.name, { ...card.attributes, 'source-id': id });
}

function renamed(attributes: PageElement['attributes'], from: string, to: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (name === to ? [] : [[name === from ? to : name, value]])),
  );
}

/** A tag with its end tag. The value of a token is left out, since it gives access. */
function tagText(name: string, attributes: PageElement['attributes']): string {
  const written = Object.entries(attributes).map(([attribute, value]) =>
    value === '' ? ` ${attribute}` : ` ${attribute}="${attribute === 'token' ? '…' : escaped(value)}"`,
  );
  return `<${name}${written.join('')}></${name}>`;
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
