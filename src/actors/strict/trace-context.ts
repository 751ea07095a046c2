/**
 * W3C trace contexts: a `traceparent`, and the `tracestate` that travels with it. The two are one value wherever they are
 * passed on, so that neither is left behind. https://www.w3.org/TR/trace-context-2
 */
import { ConfigurationError } from '../../errors.ts'
import { is } from './checks.ts'
import { isObject } from './read-options.ts'

/** A W3C trace context: the place in a trace, and what tracing systems keep beside it. */
export interface TraceContext {
  /** For example `00-<32 hex>-<16 hex>-01`. */
  readonly traceparent: string
  /** At most 32 members `key=value`, joined with commas, and at most 512 characters. */
  readonly tracestate?: string
}

/** Characters of a traceparent, of which those of the present version have 55. */
const longestTraceparent = 512

/** Characters of a tracestate: those that the specification asks everybody to pass on. */
const longestTracestate = 512

/** Characters of a member from which on it is left out before others. */
const longestMember = 128

const mostMembers = 32

/** A tracestate that a stranger sends is read up to here: one of 32 members, as long as members may be, with blanks. */
const mostCharacters = 32_768

/** Whether it is a W3C traceparent. One of a later version than 00 may go on after its flags, with a dash. */
export function isTraceparent(given: unknown): given is string {
  return (
    typeof given === 'string' &&
    given.length <= longestTraceparent &&
    /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:(?<!^00.{53})-.*)?$/.test(given)
  )
}

/** Whether it is a W3C tracestate of at most 512 characters with at least one member. */
export function isTracestate(given: unknown): given is string {
  return (
    typeof given === 'string' &&
    given.length <= longestTracestate &&
    (tracestateMembers(given)?.length ?? 0) > 0
  )
}

export const aTraceparent = is(
  'a W3C traceparent, for example "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"',
  isTraceparent,
)

export const aTracestate = is(
  'a W3C tracestate of at most 32 members and 512 characters, for example "vendor=value"',
  isTracestate,
)

/** The members of a tracestate, without the empty ones; `undefined`: it is none. */
export function tracestateMembers(tracestate: string): readonly string[] | undefined {
  const members = tracestate.split(',', mostMembers + 1)
  if (members.length > mostMembers) return undefined
  const given = members.map(trimmed).filter((member) => member !== '')
  return given.every(isMember) ? given : undefined
}

function isMember(member: string): boolean {
  return /^[\da-z][\d_a-z*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/.test(member)
}

/** Without the blanks and tabs around it. No other white space may be there. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isBlank(text[start])) start++
  while (end > start && isBlank(text[end - 1])) end--
  return text.slice(start, end)
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

/**
 * Reads the trace context of a stranger, such as the headers of a request: its fields `traceparent` and `tracestate`. Without
 * a valid `traceparent` there is none. A `tracestate` that is not valid is left out. One of more than 512 characters loses
 * members: first those of more than 128, then those at its end.
 */
export function readTraceContext(given: unknown): TraceContext | undefined {
  if (!isObject(given)) return undefined
  const { traceparent, tracestate } = given as Readonly<Record<string, unknown>>
  if (!isTraceparent(traceparent)) return undefined
  const state = typeof tracestate === 'string' ? shortState(tracestate) : undefined
  return { traceparent, ...(state === undefined ? {} : { tracestate: state }) }
}

/** One that is short enough stays as it is: whoever does not change a traceparent must not change its tracestate. */
function shortState(given: string): string | undefined {
  if (given.length > mostCharacters) return undefined
  const members = tracestateMembers(given)
  if (members === undefined || members.length === 0) return undefined
  const state = trimmed(given)
  if (state.length <= longestTracestate) return state
  let kept = members
  while (kept.join(',').length > longestTracestate) {
    const large = kept.findLastIndex(({ length }) => length > longestMember)
    kept = kept.toSpliced(large, 1) // -1: the last one
  }
  return kept.join(',')
}

/** The trace context among other fields. */
export function traceIn({ traceparent, tracestate }: Partial<TraceContext>): TraceContext | undefined {
  if (traceparent === undefined) return undefined
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate }
}

/** Options with a trace context, unless they have one of their own: the two are never mixed. */
export function withTrace<Options extends object>(
  trace: TraceContext | undefined,
  options: Options,
): Options & Partial<TraceContext> {
  const { traceparent, tracestate }: Partial<TraceContext> = options
  return traceparent === undefined && tracestate === undefined ? { ...options, ...trace } : options
}

/** Whether two trace contexts are the same. */
export function isSameTrace(one: TraceContext, other: TraceContext | undefined): boolean {
  return one.traceparent === other?.traceparent && one.tracestate === other.tracestate
}

/** Throws a `ConfigurationError` for a `tracestate` without the `traceparent` that it belongs to. */
export function assertTrace({ traceparent, tracestate }: Partial<TraceContext>, where: string): void {
  if (tracestate === undefined || traceparent !== undefined) return
  throw new ConfigurationError(`${where}: tracestate belongs to a traceparent: give both, or neither.`)
}
