import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { snippetFor } from '@pulse-card/widget/snippet';
import { previewSnippet } from './preview-snippet.ts';

const BASE_URL = 'https://pulse.example.com';

describe('previewSnippet()', () => {
  it('is the widget’s own snippet where nothing else was chosen', () => {
    const settings = { attributes: { 'source-id': 'src_1', variant: 'chart' }, properties: {}, width: 320 };
    const own = snippetFor({ sourceId: 'src_1', baseUrl: BASE_URL, name: 'Q2 revenue', variant: 'chart' });
    assert.equal(previewSnippet(settings, BASE_URL, 'Q2 revenue'), own);
  });

  it('carries every attribute that was chosen', () => {
    const attributes = { 'source-id': 'src_1', open: '', 'heading-level': '2', lang: 'ar', dir: 'rtl' };
    const snippet = previewSnippet({ attributes, properties: {}, width: null }, BASE_URL, null);
    assert.match(snippet, /<pulse-card source-id="src_1" open heading-level="2" lang="ar" dir="rtl">/);
  });

  it('says where to ask, when that is not where the script comes from', () => {
    const attributes = { 'source-id': 'src_1', 'base-url': 'https://other.example' };
    const snippet = previewSnippet({ attributes, properties: {}, width: null }, BASE_URL, null);
    assert.match(snippet, /<pulse-card source-id="src_1" base-url="https:\/\/other\.example">/);
  });

  it('carries the colours that were chosen in a style sheet before the card', () => {
    const properties = { '--pulse-card-accent': '#9b1c1c', '--pulse-card-radius': '0' };
    const snippet = previewSnippet({ attributes: { 'source-id': 'src_1' }, properties, width: null }, BASE_URL, null);
    assert.ok(
      snippet.startsWith(
        '<style>\n  pulse-card {\n    --pulse-card-accent: #9b1c1c;\n    --pulse-card-radius: 0;\n  }\n</style>\n<script ',
      ),
    );
  });

  it('lets no value leave its place', () => {
    const snippet = previewSnippet(
      {
        attributes: { 'source-id': '"><script>alert(1)</script>', lang: '"><img src=x onerror=alert(1)>' },
        properties: { '--pulse-card-accent': 'red;} </style><script>alert(1)</script>' },
        width: null,
      },
      BASE_URL,
      '</text><script>alert(1)</script>',
    );
    assert.deepEqual(snippet.match(/<\/?(?:script|img|style)\b/g), ['<style', '</style', '<script', '</script']);
  });
});
