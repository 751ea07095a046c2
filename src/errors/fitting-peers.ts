/** Packages that the user installs: one that lacks what is needed is refused by its name, when the subpath is imported. */
import { TroupeError } from '../errors.ts'

/** Throws a `TroupeError` of the code `PEER_UNFIT` where one of these, by their names, is not there. */
export function assertFits(name: string, lowest: string, needed: Readonly<Record<string, unknown>>): void {
  const missing = Object.keys(needed).find((key) => needed[key] === undefined)
  if (missing === undefined) return
  throw new TroupeError(
    'PEER_UNFIT',
    `Troupe needs ${name} ${lowest} or later, and the installed version has no ${missing}: npm install ${name}@latest.`,
  )
}
