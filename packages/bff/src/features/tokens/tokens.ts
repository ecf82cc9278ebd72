import { TokenVerifier } from '@pulse-card/token';
import type { FeatureDefinition } from '../../feature.ts';
import { originsOf } from '../../lib/ip-address.ts';
import { tokenGrant } from './token-grant.ts';
import { openTokenKeys, tokenVariables } from './token-keys-file.ts';

/** Access by token (`PULSE_ACCESS=token`). A request sees what its token or its signed address allows. */
export const tokensFeature: FeatureDefinition<typeof tokenVariables> = {
  variables: tokenVariables,
  async open({ config, clock, warn, features }, { PULSE_TOKEN_KEYS_FILE: path }) {
    if (path === undefined) return undefined;
    const keys = await openTokenKeys(path, { reloadMs: config.reloadMs, clock, warn });
    const tokenKeySet = () => keys.current();
    const verifier = new TokenVerifier({
      keySet: tokenKeySet,
      audience: config.publicUrl,
      wallNow: () => clock.wallNow(),
    });
    const signedUrls = () => features.find(({ chartUrls }) => chartUrls)?.chartUrls?.signed;
    return {
      name: 'tokens',
      grant: tokenGrant({ verifier, signedUrls, ownOrigins: originsOf(config.publicUrl) }),
      tokenKeySet,
      close: () => keys.close(),
    };
  },
};
