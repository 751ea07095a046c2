/** Zod shapes of answers from outside, as strict as options: an unknown key is an error that names the nearest one. */
import { z } from 'zod'
import { unknownKeyOf, unknownKeyText } from './known-keys.ts'
import type { Hint } from './plain-name.ts'
import { isObject, show } from './read-options.ts'

/** An object that has no other fields than these. `hint`: says of another field what is meant here. */
export function strictShape<Shape extends z.ZodRawShape>(shape: Shape, hint?: Hint) {
  const names = Object.keys(shape)
  const error = ({ input }: { readonly input?: unknown }): string | undefined =>
    isObject(input) ? undefined : `expected an object with any of ${names.join(', ')}, not ${show(input)}`
  return knownKeys(() => names, hint).pipe(z.object(shape, { error }))
}

/** Any value, but no object that has other keys than `known` names for it; none of these is required. */
export function knownKeys(
  known: (given: object) => readonly string[] | undefined,
  hint?: Hint,
): z.ZodUnknown {
  return z.unknown().check(({ value, issues }) => {
    const names = isObject(value) ? known(value) : undefined
    if (!isObject(value) || names === undefined) return
    const unknown = unknownKeyOf(value, names)
    if (unknown === undefined) return
    issues.push({ code: 'custom', message: unknownKeyText(unknown, names, 'field', hint), input: value })
  })
}

/** The path of the first part of `given` that is missing or different in `read`: a lenient shape has dropped it. */
export function lossOf(given: unknown, read: unknown, path = 'it'): string | undefined {
  if (given === undefined) return undefined
  if (!isObject(given) || Array.isArray(given)) {
    const isList = Array.isArray(given) && Array.isArray(read)
    if (!isList) return JSON.stringify(given) === JSON.stringify(read) ? undefined : path
    return first(given.map((item, index) => lossOf(item, read[index], `${path}[${index}]`)))
  }
  return first(
    Object.entries(given).map(([name, value]) =>
      lossOf(value, isObject(read) ? Reflect.get(read, name) : undefined, `${path}.${name}`),
    ),
  )
}

function first(losses: readonly (string | undefined)[]): string | undefined {
  return losses.find((loss) => loss !== undefined)
}
