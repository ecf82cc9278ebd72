import type { ErrorPage, RequestContext } from './request-context.ts';
import type { Route, RouteParts } from './route.ts';
import { decodedSegment } from './target.ts';

/**
 * The route that matches a path, and the decoded value of the path's parameter. If the parameter can't be decoded, the
 * value is empty.
 */
export interface RouteMatch {
  readonly route: Route;
  readonly parameter: string;
}

/** A route with a parameter, and the parts of its path before and after the parameter. */
interface ParameterRoute {
  readonly route: Route;
  readonly before: string;
  readonly after: string;
}

/** Finds the route that matches a path. The match is exact: it is case-sensitive and allows no trailing slash. */
export class RouteTable {
  readonly #plain: ReadonlyMap<string, RouteMatch>;
  readonly #withParameter: readonly ParameterRoute[];

  constructor(routes: readonly Route[]) {
    const plain = routes.filter(({ path }) => !path.includes(':'));
    this.#plain = new Map(plain.map((route) => [route.path, { route, parameter: '' }]));
    this.#withParameter = routes.filter(({ path }) => path.includes(':')).map(parameterRoute);
  }

  matchOf(path: string): RouteMatch | undefined {
    const plain = this.#plain.get(path);
    if (plain !== undefined) return plain;
    for (const { route, before, after } of this.#withParameter) {
      if (!path.startsWith(before) || !path.endsWith(after)) continue;
      const segment = path.slice(before.length, path.length - after.length);
      if (segment !== '' && !segment.includes('/')) return { route, parameter: decodedSegment(segment) ?? '' };
    }
    return undefined;
  }

  /** Returns the function that creates error pages for the request; undefined if its errors are sent as JSON. */
  errorPageOf(context: RequestContext, parts: RouteParts): ErrorPage | undefined {
    const { path } = context.target;
    const found = this.#withParameter.find(
      ({ route, before, after }) => route.errorPage && path.startsWith(before) && path.endsWith(after),
    );
    return found?.route.errorPage?.(context, parts);
  }
}

function parameterRoute(route: Route): ParameterRoute {
  const [before = '', after = ''] = route.path.split(/:[A-Za-z]+/);
  return { route, before, after };
}
