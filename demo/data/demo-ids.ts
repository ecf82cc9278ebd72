/** The account that the demo's key belongs to. */
export const DEMO_ACCOUNT_ID = 'acc_demo';
