export * from '../../../testkit/src/redis-server.ts';
