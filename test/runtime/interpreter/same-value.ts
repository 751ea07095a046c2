/** Compares the contexts and actions of two interpreters. */
import type { AnyActorRef } from 'xstate'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import { AppendLog } from '../../../src/actors/values/append-log.ts'
import { Derived } from '../../../src/actors/values/derived.ts'

/** The path to the first difference; `undefined`: there is none. */
export function difference(
  one: unknown,
  other: unknown,
  path = '',
  compared = new Map<object, object>(),
): string | undefined {
  if (Object.is(one, other)) return undefined
  if (typeof one !== typeof other) return path
  if (typeof one === 'function') return String(one) === String(other) ? undefined : path
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return path
  if (isActor(one) && isActor(other)) return difference(actorOf(one), actorOf(other), path, compared)
  if (one instanceof AppendLog && other instanceof AppendLog)
    return difference(one.toArray(), other.toArray(), path, compared)
  if (one instanceof Derived && other instanceof Derived)
    return difference(one.value, other.value, path, compared)
  if (one instanceof Error && other instanceof Error) return difference(one.message, other.message, path)
  if (one instanceof Set && other instanceof Set) return difference([...one], [...other], path, compared)
  if (one instanceof Map && other instanceof Map) return difference([...one], [...other], path, compared)
  if (!(one instanceof Toolset)) assertPlain(one, path) // its private fields follow from the others
  return fieldDifference(one, other, path, compared)
}

function fieldDifference(
  one: object,
  other: object,
  path: string,
  compared: Map<object, object>,
): string | undefined {
  if (compared.get(one) === other) return undefined
  compared.set(one, other)
  const [names, others] = [Object.keys(one), Object.keys(other)]
  if (names.join() !== others.join()) return `${path}{${names.join()} | ${others.join()}}`
  for (const name of names) {
    const found = difference(Reflect.get(one, name), Reflect.get(other, name), `${path}.${name}`, compared)
    if (found !== undefined) return found
  }
  return undefined
}

/** A class may have private fields, which are not seen. */
function assertPlain(value: object, path: string): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype || Array.isArray(value)) return
  throw new Error(`${path}: a ${value.constructor.name} cannot be compared.`)
}

function isActor(value: object): value is AnyActorRef {
  return 'sessionId' in value && 'getSnapshot' in value
}

/** Two interpreters make two actors. */
function actorOf(actor: AnyActorRef): object {
  const { options } = actor as unknown as { readonly options?: { readonly input?: unknown } }
  return { id: actor.id, src: typeof actor.src === 'string' ? actor.src : 'logic', input: options?.input }
}
