import { after, before, beforeEach, describe } from 'node:test';
import type { TestDatabases } from './databases.ts';
import { failurePromises } from './promises/failures.ts';
import { chartPromises, httpPromises } from './promises/http.ts';
import { importPromises } from './promises/importing.ts';
import { keyPromises } from './promises/keys.ts';
import { listingPromises } from './promises/listing.ts';
import { pulsePromises } from './promises/pulses.ts';
import { keylessLimitPromises, rateLimitPromises, sharedLimitPromises } from './promises/rate-limit.ts';
import { sharedLogPromises } from './promises/shared-log.ts';
import { sharedStartPromises } from './promises/shared-start.ts';
import { TestService } from './test-service.ts';

/**
 * Tests all of the service's guarantees on one kind of database. `instances`: how many instances share the database, 1
 * or 2.
 */
export function describeService(
  name: string,
  { open, instances }: { open: () => Promise<TestDatabases>; instances: 1 | 2 },
): void {
  describe(`The service on ${name}`, () => {
    let databases: TestDatabases;
    const running: TestService[] = [];
    before(async () => {
      databases = await open();
      const database = await databases.fresh();
      running.push(await TestService.start(database));
      if (instances === 2) running.push(await TestService.start(database, {}, running[0]!.clock));
    });
    // The rate window for the tests' IP address is reset for each test.
    beforeEach(() => running[0]!.clock.push(60_000));
    after(async () => {
      for (const service of running) await service.close();
      await databases.stop();
    });

    const service = () => running[0]!;
    listingPromises(service);
    pulsePromises(service);
    keyPromises(service);
    rateLimitPromises(service);
    if (instances === 2) {
      sharedLimitPromises(service, () => running[1]!);
      sharedLogPromises(service);
      sharedStartPromises(() => databases);
    }
    // These tests don't depend on the kind of database.
    if (instances === 1) {
      keylessLimitPromises(() => databases);
      httpPromises(service);
    }
    chartPromises(service);
    importPromises(service);
    failurePromises(() => databases);
  });
}
