import { allows, type PagePolicy, directiveWith, governing, isStrictDynamic, type PolicyRequest } from '../csp.ts';
import { baseOf, type PageFacts, resolved } from '../facts.ts';
import { type Finding, findingOf } from '../finding.ts';
import { scriptTag } from './script.ts';
import { sourceIdsOn } from './tags.ts';

/** The maximum number of charts to check. */
const MAX_CHARTS = 100;

/** What each kind of request is for. */
const KINDS = { script: 'script', connect: 'data', image: 'charts', frame: 'frame' } as const;

/** The Trusted Types policy that Lit creates for the card. */
const LIT_POLICY = 'lit-html';

/** Reports what the page's policies block: the card's script, its data, its charts, or its frame. */
export function policyFindings(facts: PageFacts): (Finding | undefined)[] {
  const requests = requestsOn(facts);
  const blockedFindings = facts.policies.flatMap((policy) => {
    const blocked = requests.filter((request) => !allows(policy, request, facts.url));
    const byKind = Map.groupBy(blocked, ({ kind }) => kind);
    return Array.from(byKind.values(), (ofKind) => blockedFinding(policy, ofKind));
  });
  return [...blockedFindings, ...(facts.elements.cards.length > 0 ? facts.policies.map(trustedTypesFinding) : [])];
}

/** The error if Lit isn't allowed to create its Trusted Types policy. Without that policy, Lit doesn't start. */
function trustedTypesFinding({ directives, place }: PagePolicy): Finding | undefined {
  const names = directives.get('trusted-types');
  if (names === undefined || names.some((name) => name === '*' || name === LIT_POLICY)) return undefined;
  const others = names.filter((name) => name.toLowerCase() !== "'none'");
  return findingOf('csp_trusted_types', {
    title: 'The page’s content security policy keeps the card’s script from starting.',
    detail: `trusted-types in the ${place} doesn’t allow ${LIT_POLICY}, the policy of Lit, which the card is built with.`,
    fix: ['trusted-types', ...others, LIT_POLICY].join(' '),
  });
}

/** What the page's scripts, cards, and frames request. */
function requestsOn(facts: PageFacts): PolicyRequest[] {
  const { scripts, frames, elements } = facts;
  return [
    ...scripts.map(({ element, url }) => ({ ...element.attributes, kind: 'script' as const, url })),
    ...elements.cards.map((card) => ({ kind: 'connect' as const, url: new URL('v1/pulses', baseOf(card, facts)) })),
    ...chartsOn(facts).map((url) => ({ kind: 'image' as const, url })),
    ...frames.map(({ url }) => ({ kind: 'frame' as const, url })),
  ];
}

/** The URLs of the charts of the page's cards. A board shows all sources' charts. */
function chartsOn(facts: PageFacts): URL[] {
  const { cards } = facts.elements;
  const { chartUrls } = facts.settings;
  const ids = cards.some(({ name }) => name === 'pulse-board')
    ? [...chartUrls.keys()]
    : sourceIdsOn({ elements: facts.elements, frames: [] });
  const written = cards.flatMap(({ images }) => images);
  const urls = [...ids.map((id) => chartUrls.get(id)), ...written].map((url) => resolved(url, facts));
  return urls.filter((url) => url !== undefined).slice(0, MAX_CHARTS);
}

function blockedFinding(policy: PagePolicy, blocked: readonly PolicyRequest[]): Finding {
  const [{ kind, url }] = blocked as [PolicyRequest];
  const directive = governing(policy, kind) ?? 'default-src';
  const origins = [...new Set(blocked.map((request) => request.url.origin))];
  // If only nonces count, adding a URL wouldn't help.
  const needsNonce = kind === 'script' && isStrictDynamic(policy.directives.get(directive) ?? []);
  return findingOf(`csp_${kind}`, {
    title: `The page’s content security policy blocks the card’s ${KINDS[kind]}.`,
    detail: `${directive} in the ${policy.place} doesn’t allow ${origins.join(', ')}.`,
    fix: needsNonce ? scriptTag(url, { nonce: 'this response’s nonce' }) : directiveWith(policy, kind, origins),
  });
}
