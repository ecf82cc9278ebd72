export { FakeBff, type FakeBffOptions, type FakeData, type EarlierRun } from './fake-bff.ts';
export { fakeToken, type FakeClaims } from './fake-token.ts';
export { pulseOf } from './pulse-of.ts';
export { settled } from './settled.ts';
