import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { failureOf } from '../data/result.ts';
import { matchLanguage } from '../ssr/translations.ts';
import { VERSION } from '../version.ts';
import { failureKind } from './failure-kind.ts';
import { BOARD_ENGLISH, ENGLISH, EXTRAS_ENGLISH, SERVER_ENGLISH } from './messages.ts';
import { translationOf } from './translation-of.ts';
import translations from './translations.json' with { type: 'json' };
import { fileTagOf, TRANSLATED } from './translations.ts';

describe('the translations', () => {
  it('have every message', () =>
    assert.deepEqual(
      ['lang', ...Object.keys(translations)].toSorted(),
      Object.keys({ ...ENGLISH, ...EXTRAS_ENGLISH, ...BOARD_ENGLISH, ...SERVER_ENGLISH }).toSorted(),
    ));

  it('include every message in every language', () => {
    for (const [key, texts] of Object.entries(translations))
      assert.deepEqual(Object.keys(texts).join(' '), TRANSLATED, key);
  });

  for (const tag of TRANSLATED.split(' ')) {
    const messages = translationOf(tag);
    it(`are short in ${tag}`, () =>
      assert.ok(Object.values(messages).every((message) => message.trim() && message.length < 120)));
    it(`differ from each other in ${tag}`, () =>
      assert.equal(new Set(Object.values(messages)).size, Object.keys(messages).length));
  }
});

describe('fileTagOf()', () => {
  for (const [language, tag] of [
    ['de-AT', 'de'],
    ['pt-BR', 'pt'],
    ['zh', 'zh'],
    ['zh-CN', 'zh'],
    ['zh-SG', 'zh'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['zh-Hant', 'zh-Hant'],
    ['zh-Hans-HK', 'zh'],
  ] as const) {
    it(`is ${tag} for ${language}`, () => assert.equal(fileTagOf(language), tag));
  }
});

describe('matchLanguage()', () => {
  for (const [language, tag] of [
    ['de_DE', 'de'],
    ['de_DE.UTF-8', 'de'],
    ['fr_FR@euro', 'fr'],
    ['pt_BR', 'pt'],
    ['PT_br.iso88591', 'pt'],
    ['zh_TW', 'zh-Hant'],
    ['zh_Hans_CN', 'zh'],
    [' de ', 'de'],
    ['iw', 'he'],
    ['iw_IL', 'he'],
    ['en_US', 'en'],
    ['sr_Latn_RS', undefined],
    ['no', undefined],
    ['C', undefined],
    ['C.UTF-8', undefined],
    ['POSIX', undefined],
    ['', undefined],
    ['_', undefined],
    ['de-DE"><b>', undefined],
    [`de${'-x'.repeat(149)}`, undefined],
    ['d'.repeat(300), undefined],
  ] as const)
    it(`is ${tag} for ${language.slice(0, 40)}`, () => assert.equal(matchLanguage(language), tag));
});

describe('failureKind()', () => {
  for (const [code, status, kind] of [
    ['pulse_not_found', 404, 'empty'],
    ['source_unknown', 404, 'unknown'],
    ['invalid_source_id', 400, 'unknown'],
    ['origin_forbidden', 403, 'forbidden'],
    ['token_missing', 401, 'forbidden'],
    ['signed_out', 401, 'signedOut'],
    ['invalid_answer', 404, 'error'],
    ['rate_limited', 429, 'error'],
    ['network', 0, 'error'],
    ['internal', 500, 'error'],
    ['retry', 503, 'error'],
    ['constructor', 503, 'error'],
    ['__proto__', 503, 'error'],
  ] as const) {
    it(`is ${kind} for ${code} with ${status}`, () => assert.equal(failureKind(failureOf(code, status)), kind));
  }
});

describe('VERSION', () => {
  it('matches the package’s version', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    assert.equal(VERSION, manifest.version);
  });
});
