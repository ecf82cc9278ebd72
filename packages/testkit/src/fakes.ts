// The tests use only the published fakes.
export { FakeBff, fakeToken, pulseOf } from '@pulse-card/widget/testing';
