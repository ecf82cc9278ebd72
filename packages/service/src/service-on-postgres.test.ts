import { describeService } from './testing/describe-service.ts';
import { postgresDatabases } from './testing/databases.ts';

describeService('PostgreSQL', { open: postgresDatabases, instances: 2 });
