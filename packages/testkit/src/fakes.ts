// The published fakes are the only ones.
export { FakeBff, fakeToken, pulseOf } from '@pulse-card/widget/testing';
