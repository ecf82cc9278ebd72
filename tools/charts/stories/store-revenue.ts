import type { Story } from '../story.ts';

/** A shop that was added but not authorized yet. The shop has no run and therefore no pulse. */
export const storeRevenue: Story = {
  sourceId: 'src_store_revenue',
  name: 'Store revenue',
  provider: 'SHOPIFY',
  status: 'PENDING',
  connectionCount: 0,
  latestHoursAgo: 12,
  everyHours: 24,
  outcomes: [],
  editions: () => [],
};
