import { afterPaint } from '../lazy/lazy-module.ts';
import { type Announcement, closeRegion, openRegion } from './live-region.ts';

let timesSilenced = 0;

/**
 * Announces a message to screen readers on behalf of `speaker`, if that element is still on the page. If the code that
 * combines messages can't be loaded, the last message is spoken unchanged.
 */
export async function announce(announcement: Announcement, speaker: Element): Promise<void> {
  const before = timesSilenced;
  const loaded = await afterPaint.load();
  if (before !== timesSilenced) return;
  if (loaded) loaded.announce(announcement, speaker, openRegion);
  else if (speaker.isConnected) openRegion(speaker.ownerDocument, (region) => speakPlainly(announcement, region));
}

/** Drops everything that hasn't been spoken yet. */
export function silence(): void {
  timesSilenced++;
  afterPaint.value?.silence();
  closeRegion();
}

function speakPlainly({ texts }: Announcement, region: HTMLElement): void {
  region.lang = texts[0]?.lang ?? '';
  region.textContent = texts.map(({ text }) => text).join(' ');
}
