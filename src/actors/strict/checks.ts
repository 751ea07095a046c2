/** Readers that check the fields of objects from outside. */
import { ConfigurationError } from '../../errors.ts'
import { isRecord } from '../values/json.ts'
import { expectedSchema } from './foreign.ts'
import { isObject, wrong, type Reader } from './read-options.ts'

/** A value for which `holds` answers `true`, as it is. `isSecret`: an error does not show the value. */
/* @__NO_SIDE_EFFECTS__ */
export function is(expected: string, holds: (given: unknown) => boolean, { isSecret = false } = {}): Reader {
  return (given, where) => {
    if (holds(given)) return given
    if (isSecret) throw new ConfigurationError(`${where} must be ${expected}.`)
    throw wrong(given, where, expected)
  }
}

const isNumber = (given: unknown): given is number => typeof given === 'number' && Number.isFinite(given)

/** Accepts any value: it is checked where it is used. */
export const anything: Reader = (given) => given

/** Reads a function. */
export const aFunction: Reader = (given, where) => {
  if (typeof given !== 'function') throw wrong(given, where, 'a function')
  return given
}

/** The specification of schemas is https://standardschema.dev. */
export const aSchema: Reader = (given, where) => {
  if (isStandardSchema(given)) return given
  throw new ConfigurationError(`${where} must be ${expectedSchema(given)}.`)
}

function isStandardSchema(given: unknown): boolean {
  if (typeof given !== 'function' && !isRecord(given)) return false
  const standard = Reflect.get(given, '~standard') as unknown
  return isRecord(standard) && standard['version'] === 1 && typeof standard['validate'] === 'function'
}

/** Reads `true` or `false`. */
export const aBoolean = is('true or false', (given) => typeof given === 'boolean')

/** Reads a text. */
export const aText = is('a text', (given) => typeof given === 'string')

/** Reads a name: a text that is not blank. */
export const aName = is(
  'a text that is not empty',
  (given) => typeof given === 'string' && given.trim() !== '',
)

/** It is a part of addresses and of cursors. */
export const aRunId = is(
  '1 to 128 letters, digits, "-", "_" or ".", and not "." or ".."',
  (given) => typeof given === 'string' && /^(?!\.{1,2}$)[\w.-]{1,128}$/.test(given),
)

/** Reads an integer from 1 on. */
export const positiveInteger = is(
  'a positive integer',
  (given) => Number.isSafeInteger(given) && Number(given) > 0,
)

/** Reads 0 or a positive integer. */
export const aCount = is(
  '0 or a positive integer',
  (given) => Number.isSafeInteger(given) && Number(given) >= 0,
)

/** Reads a positive number of milliseconds. */
export const milliseconds = is('a positive number of milliseconds', (given) => isNumber(given) && given > 0)

export const positive = is('a positive number', (given) => isNumber(given) && given > 0)

export const notNegative = is('0 or a positive number', (given) => isNumber(given) && given >= 0)

export const aShare = is('a number from 0 to 1', (given) => isNumber(given) && given >= 0 && given <= 1)

/** Reads the number of a port. */
export const aPort = is(
  'an integer from 0 to 65535',
  (given) => Number.isInteger(given) && Number(given) >= 0 && Number(given) <= 65_535,
)

/** Reads one of these texts. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf(...choices: readonly string[]): Reader {
  const quoted = choices.map((choice) => `'${choice}'`)
  const expected = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter(Boolean).join(' or ')
  return is(expected, (given) => choices.some((choice) => choice === given))
}

/** An object with these methods, as it is: it may be a class of the user's. */
/* @__NO_SIDE_EFFECTS__ */
export function having(expected: string, ...methods: readonly string[]): Reader {
  return is(
    expected,
    (given) =>
      ((typeof given === 'object' && given !== null) || typeof given === 'function') &&
      methods.every((name) => typeof Reflect.get(given, name) === 'function'),
  )
}

/** A copy of a list. */
/* @__NO_SIDE_EFFECTS__ */
export function listOf(read: Reader, expected = 'a list'): Reader<readonly unknown[]> {
  return (given, where) => {
    if (!Array.isArray(given)) throw wrong(given, where, expected)
    return Array.from(given as readonly unknown[], (item, index) => read(item, `${where}[${index}]`))
  }
}

/** A copy of an object whose keys are names, without fields that are `undefined`. */
/* @__NO_SIDE_EFFECTS__ */
export function recordOf(
  read: Reader,
  expected = 'an object by name',
): Reader<Readonly<Record<string, unknown>>> {
  return (given, where) => {
    if (!isObject(given)) throw wrong(given, where, expected)
    const rows = Object.entries(given).filter(([, value]) => value !== undefined)
    return Object.fromEntries(rows.map(([name, value]) => [name, read(value, `${where}.${name}`)]))
  }
}

/** `first` where it `applies`, else `second`. */
/* @__NO_SIDE_EFFECTS__ */
export function either(applies: (given: unknown) => boolean, first: Reader, second: Reader): Reader {
  return (given, where) => (applies(given) ? first(given, where) : second(given, where))
}
