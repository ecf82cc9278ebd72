import type { RequestListener } from 'node:http';

/** Holds requests until there is somebody to answer them; cuts them off where there never will be. */
export function deferUntilReady(opening: Promise<RequestListener>): RequestListener {
  let answer: RequestListener | undefined;
  opening.then(
    (opened) => void (answer = opened),
    () => {},
  );
  return (request, response) => {
    if (answer !== undefined) answer(request, response);
    else opening.then((opened) => opened(request, response)).catch(() => response.destroy());
  };
}
