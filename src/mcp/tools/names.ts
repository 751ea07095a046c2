/** Names that agents accept, for the tools of servers, which may have any name. */
import { digestText } from '../../actors/values/digest.ts'
import { handoffPrefix } from '../../actors/handoff-tools.ts'
import { delegationPrefix } from '../../actors/toolset.ts'

/** The longest id of a tool. */
const longest = 55

/**
 * For each name the one by which a model calls the tool: unchanged where it is allowed and fits, else with `_` for each
 * character that is not allowed. A name that was shortened, and a changed name that another tool has too, ends in a
 * digest of the name. The result does not depend on the order of the names.
 */
export function toolNames(names: readonly string[], prefix: string): ReadonlyMap<string, string> {
  const wanted = names.map((name) => ({ name, full: prefix + name, clean: cleaned(prefix + name) }))
  const takenBy = Map.groupBy(wanted, ({ clean }) => clean)
  return new Map(
    wanted.map(({ name, full, clean }) => {
      const isShared = (takenBy.get(clean)?.length ?? 0) > 1
      const isChanged = clean !== full
      return [name, clean.length > longest || (isShared && isChanged) ? withDigest(clean, full) : clean]
    }),
  )
}

function cleaned(name: string): string {
  const allowed = name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  const beginsWell = /^[A-Za-z]/.test(allowed)
  const isReserved = allowed.startsWith(delegationPrefix) || allowed.startsWith(handoffPrefix)
  return beginsWell && !isReserved ? allowed : `tool_${allowed}`
}

function withDigest(clean: string, full: string): string {
  const digest = `_${digestText(full).slice(0, 6)}`
  return clean.slice(0, longest - digest.length) + digest
}
