import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framePolicy, imageOriginsOf } from '../embed/frame-page.ts';
import { headersFile } from './host-rules.ts';

describe('headersFile()', () => {
  it('omits IPv6 origins from the policy for frames (T-45)', () => {
    const allowedOrigins = ['https://page.test', 'http://[::1]:8080'];
    const imageOrigins = ['https://[2001:db8::1]/a.png', 'https://cdn.test/a.png'].flatMap(imageOriginsOf);
    const frameHeaders = framePolicy(allowedOrigins, imageOrigins);
    const file = headersFile({ allowedOrigins, frameHeaders, scriptHash: undefined });
    const policy = /Content-Security-Policy: (.*)/.exec(file)?.[1] ?? '';
    assert.ok(policy.includes("frame-ancestors 'self' https://page.test;"), policy);
    assert.ok(policy.includes("img-src 'self' https://cdn.test;"), policy);
  });
});
