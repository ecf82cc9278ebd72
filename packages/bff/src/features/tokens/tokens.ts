import type { BackendDefinition } from '../../feature.ts';
import { openTokenKeys } from './token-keys-file.ts';

/** The keys of tokens (`PULSE_TOKEN_KEYS_FILE`), if access is by token. */
export const tokensBackend: BackendDefinition = {
  async open({ config, clock, warn }) {
    const keys = await openTokenKeys(config, clock, warn);
    return keys && { tokenKeySet: () => keys.current(), close: () => keys.close() };
  },
};
