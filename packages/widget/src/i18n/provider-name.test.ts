import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { providerColor, providerName } from './provider-name.ts';

describe('providerName()', () => {
  for (const [code, name] of [
    ['GOOGLE', 'Google'],
    ['POSTGRES', 'Postgres'],
    ['BIGQUERY', 'BigQuery'],
    ['QUICKBOOKS', 'QuickBooks'],
    ['GOOGLE_SHEETS', 'Google Sheets'],
    ['', ''],
    ['_', ''],
  ] as const) {
    it(`is ${name} for ${code}`, () => assert.equal(providerName(code).trim(), name));
  }
});

describe('providerColor()', () => {
  const colors = 'GOOGLE SHOPIFY HUBSPOT QUICKBOOKS AIRTABLE EXCEL BIGQUERY POSTGRES MYSQL SNOWFLAKE SALESFORCE'
    .split(' ')
    .map((code) => hueAndLightness(providerColor(code)));

  it('differs in hue or lightness for each provider', () => {
    const isAlike = ([hue, lightness]: Color, [otherHue, otherLightness]: Color) => {
      const apart = Math.abs(hue - otherHue);
      return Math.min(apart, 360 - apart) < 18 && Math.abs(lightness - otherLightness) < 8;
    };
    const alike = colors.filter((one, at) => colors.slice(at + 1).some((other) => isAlike(one, other)));
    assert.deepEqual(alike, []);
  });

  it('is visible on light and dark cards', () => {
    for (const [, lightness] of colors) assert.ok(lightness > 30 && lightness < 70, String(lightness));
  });
});

type Color = [hue: number, lightness: number];

function hueAndLightness(color: string): Color {
  const [hue = 0, , lightness = 0] = [...color.matchAll(/\d+/g)].map(Number);
  return [hue % 360, lightness];
}
