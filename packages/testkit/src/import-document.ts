/**
 * An import document for `pulse-service`: the account `acc_1`, with a source `src_…` and one run for each of `ids`.
 */
export function importDocument(...ids: readonly string[]): unknown {
  const at = '2026-05-08T09:00:12.000Z';
  const account = {
    accountId: 'acc_1',
    organizationId: 'org_1',
    provider: 'GOOGLE',
    status: 'ACTIVE',
    archived: false,
  };
  const texts = { image: null, aiSummaryShort: 'Up by 2 %.', aiSummaryLong: '**Up** since May.', deliveryLink: null };
  return {
    accounts: [{ id: 'acc_1', email: 'owner@acme.test' }],
    organizations: [{ id: 'org_1', name: 'Acme', slug: 'acme' }],
    sources: ids.map((id) => ({ ...account, id: `src_${id}`, name: `Figures of ${id}`, updatedAt: at })),
    connections: ids.map((id) => ({ id: `con_${id}`, sourceId: `src_${id}` })),
    runs: ids.map((id) => ({
      ...texts,
      id: `run_${id}`,
      connectionId: `con_${id}`,
      status: 'SUCCESS',
      sourceName: `Figures of ${id}`,
      completedAt: at,
    })),
  };
}
