/** The forms a body is kept in, best first. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const;

/** The form of a body. */
export type Encoding = (typeof ENCODINGS)[number];

/** Browsers send a handful of spellings; more than this many are some machine's play and are not remembered. */
const REMEMBERED_SPELLINGS = 100;

const remembered = new Map<string, Encoding>();

/** The best form that `Accept-Encoding` allows (RFC 9110, 12.5.3); identity where it allows nothing we have. */
export function acceptedEncoding(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const known = remembered.get(acceptEncoding);
  if (known !== undefined) return known;
  const chosen = choose(acceptEncoding);
  if (remembered.size < REMEMBERED_SPELLINGS) remembered.set(acceptEncoding, chosen);
  return chosen;
}

function choose(acceptEncoding: string): Encoding {
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(weightOf));
  const weightIn = (encoding: Encoding): number =>
    weights.get(encoding) ?? (encoding === 'identity' ? IDENTITY_UNNAMED : (weights.get('*') ?? 0));
  let best: Encoding = 'identity';
  for (const encoding of ENCODINGS) {
    const isBetter =
      best === 'identity' && encoding !== 'identity'
        ? weightIn(encoding) >= weightIn(best)
        : weightIn(encoding) > weightIn(best);
    if (weightIn(encoding) > 0 && isBetter) best = encoding;
  }
  return best;
}

/** Identity is always acceptable unless it is refused, and never better than what is asked for by name. */
const IDENTITY_UNNAMED = 0.0001;

function weightOf(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  const weight = Number(quality);
  return [coding === 'x-gzip' ? 'gzip' : coding, weight >= 0 && weight <= 1 ? weight : 0];
}
