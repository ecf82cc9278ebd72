import { describeService } from './testing/describe-service.ts';
import { sqliteDatabases } from './testing/databases.ts';

describeService('SQLite', { open: sqliteDatabases, instances: 1 });
