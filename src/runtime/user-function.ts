/**
 * Calls functions of the user's outside of the effects of a run. The answer is awaited, has a deadline, and is checked: a throw, a
 * hang and a wrong answer are errors. So a function that decides what is let through lets nothing through by them.
 */
import { isRecord } from '../actors/values/json.ts'
import { TerminalError } from '../errors.ts'
import { systemClock } from './clock.ts'
import { inTime } from './in-time.ts'
import { isThenable, settled } from './report.ts'

/** The answers that a function may give. */
export interface Expected<Answer> {
  /** In words, for the error. */
  readonly words: string
  readonly fits: (answer: unknown) => answer is Answer
}

/** Milliseconds, as the default of `hookTimeout`. */
export const answerTimeout = 60_000

/** Expects any answer. */
export const whatever: Expected<unknown> = {
  words: 'anything',
  fits: (_answer): _answer is unknown => true,
}

/** Expects `true` or `false`. */
export const yesOrNo: Expected<boolean> = {
  words: 'true or false',
  fits: (answer) => typeof answer === 'boolean',
}

/** Expects an object. */
export const someObject: Expected<Readonly<Record<string, unknown>>> = {
  words: 'an object',
  fits: isRecord,
}

/** Expects a name, or nothing. */
export const nameOrNothing: Expected<string | undefined> = {
  words: 'a text that is not empty, or undefined',
  fits: (answer) => answer === undefined || isName(answer),
}

/** Whether the answer of a function is a name. */
export function isName(given: unknown): given is string {
  return typeof given === 'string' && given.trim() !== ''
}

/**
 * `what`: the function, as its users know it, such as `only of mcpTools`. Rejects with what the function throws, and with a
 * `TerminalError`: `HOOK_TIMEOUT`, or `INVALID_HOOK_RESULT`, which does not show the answer.
 */
export async function askUser<Answer>(
  what: string,
  ask: () => unknown,
  expected: Expected<Answer>,
): Promise<Answer> {
  const answer = await inTime({ clock: systemClock }, answerTimeout, what, ask)
  if (expected.fits(answer)) return answer
  const message = `${what} must answer with ${expected.words}, and has answered with ${kindOf(answer)}.`
  throw new TerminalError(message, { code: 'INVALID_HOOK_RESULT' })
}

/**
 * The answer of a function that is called where nothing can wait for it, such as a guard of a search. Throws a `TerminalError`
 * (`INVALID_HOOK_RESULT`) for a promise, which would count as true, or as one value for all calls.
 */
export function atOnce<Answer>(what: string, answer: Answer): Answer {
  if (!isThenable(answer)) return answer
  settled(answer, () => undefined) // the error below tells of the promise, whatever comes of it
  const message = `${what} is called where nothing can wait for it, and has answered with a promise. Let it answer at once.`
  throw new TerminalError(message, { code: 'INVALID_HOOK_RESULT' })
}

/** What `runOptions` of a server gives, where there is one. */
export async function runOptionsOf<Call>(
  server: string,
  runOptions: ((call: Call) => unknown) | undefined,
  call: Call,
): Promise<object> {
  if (runOptions === undefined) return {}
  return askUser(`runOptions of ${server}`, () => runOptions(call), someObject)
}

function kindOf(answer: unknown): string {
  if (answer === null || answer === undefined) return String(answer)
  if (answer === '') return 'an empty text'
  if (Array.isArray(answer)) return 'a list'
  return typeof answer === 'object' ? 'an object' : `a ${typeof answer}`
}
