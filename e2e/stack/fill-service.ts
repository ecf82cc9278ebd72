import { fillServiceOnce } from '@pulse-card/testkit/stack';

export default fillServiceOnce;
