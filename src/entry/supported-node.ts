/** The versions of Node that Troupe runs on. */
import { TroupeError } from '../errors.ts'

/** The lowest version, as in `engines` of package.json. */
const lowest = { major: 22, minor: 13 }

/**
 * Throws a `TroupeError` of the code `NODE_TOO_OLD`. `version`: that of Node, such as `22.13.0`, or the one that another
 * runtime is compatible with; `undefined` in a browser.
 */
export function assertSupportedNode(version: string | undefined): void {
  if (version === undefined) return
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > lowest.major || (major === lowest.major && minor >= lowest.minor)) return
  throw new TroupeError(
    'NODE_TOO_OLD',
    `Troupe needs Node ${lowest.major}.${lowest.minor} or later, and this is Node ${version}.`,
  )
}
