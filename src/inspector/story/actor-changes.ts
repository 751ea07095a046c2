/** What changes in an actor from one entry to the next, and the actor again from these changes. */
import type { JsonValue, Message } from '../../index.ts'
import type { ViewDetail } from '../wire/routes.ts'
import type { ActorChange } from '../wire/story.ts'

type Fields = Readonly<Record<string, JsonValue>>

/** `undefined`: nothing has changed. */
export function changeOf(before: ViewDetail | undefined, after: ViewDetail): ActorChange | undefined {
  const { path, machine, status, state, context, messages, earlier = 0, isCut = false } = after
  const change: ActorChange = {
    path,
    ...(before === undefined ? { isNew: true } : {}),
    ...(machine === undefined || machine === before?.machine ? {} : { machine }),
    ...(status === before?.status ? {} : { status }),
    ...(state === undefined || isSame(state, before?.state) ? {} : { state }),
    ...contextChange(before?.context, context),
    ...messagesChange(before?.messages, messages),
    ...(earlier === (before?.earlier ?? 0) ? {} : { earlier }),
    ...(isCut === (before?.isCut ?? false) ? {} : { isCut }),
  }
  return Object.keys(change).length === 1 ? undefined : change
}

function contextChange(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): Pick<ActorChange, 'whole' | 'context' | 'gone'> {
  if (after === undefined || isSame(before, after)) return {}
  if (!isFields(after)) return { whole: after }
  const known = isFields(before) ? before : {}
  const changed = Object.entries(after).filter(([name, value]) => !isSame(known[name], value))
  const gone = Object.keys(known).filter((name) => !Object.hasOwn(after, name))
  return {
    ...(isFields(before) ? {} : { whole: {} }),
    ...(changed.length === 0 ? {} : { context: Object.fromEntries(changed) }),
    ...(gone.length === 0 ? {} : { gone }),
  }
}

/** A conversation grows at its end, and a file keeps the latest messages alone. */
function messagesChange(
  before: readonly Message[] | undefined,
  after: readonly Message[] | undefined,
): Pick<ActorChange, 'messages'> {
  if (after === undefined || (before !== undefined && isSame(before, after))) return {}
  const known = (before ?? []).map(textOf)
  const texts = after.map(textOf)
  const from = Math.max(0, known.indexOf(texts[0] ?? ''))
  let keep = 0
  while (keep < texts.length && from + keep < known.length && texts[keep] === known[from + keep]) keep++
  return { messages: { from, keep, add: after.slice(keep) } }
}

/** The actor after a change. */
export function changed(before: ViewDetail | undefined, change: ActorChange): ViewDetail {
  const { path, isNew, machine, status, state, whole, context, gone, messages, earlier, isCut } = change
  const known: Partial<ViewDetail> = isNew === true || before === undefined ? {} : before
  const base = whole ?? known.context
  const isTouched = context !== undefined || gone !== undefined
  const next = isTouched ? withFields(isFields(base) ? base : {}, context ?? {}, gone ?? []) : base
  const said = known.messages ?? []
  const spoken =
    messages === undefined
      ? known.messages
      : [...said.slice(messages.from, messages.from + messages.keep), ...messages.add]
  const before_ = earlier ?? known.earlier ?? 0
  return {
    path,
    status: status ?? known.status ?? 'active',
    ...optional('machine', machine ?? known.machine),
    ...optional('state', state ?? known.state),
    ...optional('context', next),
    ...optional('messages', spoken),
    ...(before_ === 0 ? {} : { earlier: before_ }),
    ...((isCut ?? known.isCut) === true ? { isCut: true } : {}),
  }
}

function withFields(before: Fields, more: Fields, gone: readonly string[]): Fields {
  const kept = Object.entries(before).filter(([name]) => !gone.includes(name))
  return Object.fromEntries([...kept, ...Object.entries(more)])
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value }
}

function isFields(value: JsonValue | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || textOf(one) === textOf(other)
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
