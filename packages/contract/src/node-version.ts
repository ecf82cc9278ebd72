/** The oldest Node version that the packages run on. `engines` in each package.json specifies the same version. */
const OLDEST_NODE = { major: 22, minor: 19 };

/** Returns an error message if a version of Node is too old for `program`; undefined if it isn't. */
export function nodeFault(program: string, version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE.major || (major === OLDEST_NODE.major && minor < OLDEST_NODE.minor);
  return isOld
    ? `${program} needs Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer; this is ${version}`
    : undefined;
}
