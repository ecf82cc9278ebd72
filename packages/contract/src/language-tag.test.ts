import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languageTag } from './language-tag.ts';

describe('languageTag()', () => {
  for (const [locale, tag] of [
    ['de', 'de'],
    ['pt_br', 'pt-BR'],
    ['de_DE.UTF-8', 'de-DE'],
    ['fr_FR@euro', 'fr-FR'],
    ['en_US.ISO8859-1@calendar', 'en-US'],
    ['sr_Latn_RS', 'sr-Latn-RS'],
    ['de_DE:en_US', 'de-DE'],
    ['pt_BR.UTF-8:pt:en', 'pt-BR'],
    ['zh_TW', 'zh-TW'],
    ['iw', 'he'],
    ['no', 'no'],
    [' de ', 'de'],
    ['de_', 'de'],
    ['de--DE', 'de'],
    ['ar_SA@calendar=islamic', 'ar-SA'],
    ['en-US,en;q=0.9', 'en-US'],
    ['de;q=0.8', 'de'],
    ['zh-CHS', 'zh'],
    ['pt/BR', 'pt'],
  ] as const)
    it(`returns ${tag} for ${locale}`, () => assert.equal(languageTag(locale), tag));

  for (const garbage of [
    '',
    'C',
    'C.UTF-8',
    'POSIX',
    'german',
    '_',
    '_de',
    'x-de',
    'de DE',
    'not a tag',
    'de-DE"><b>',
    `de-${'a'.repeat(300)}`,
    'd'.repeat(300),
    ` ${'-de'.repeat(100)}`,
    null,
    7,
  ])
    it(`is undefined for ${String(garbage).slice(0, 20)}`, () => assert.equal(languageTag(garbage), undefined));
});
