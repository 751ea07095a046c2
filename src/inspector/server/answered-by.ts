/** Who answers: a name that the server gives to each answer of its page, whatever the page says. */
import { TroupeError } from '../../index.ts'
import { askUser, nameOrNothing } from '../../kit/index.ts'
import type { IncomingMessage } from 'node:http'

/** A name, or a function that reads it from the request, such as from the header of a proxy. */
export type AnswerName =
  string | ((request: IncomingMessage) => string | undefined | Promise<string | undefined>)

/** `undefined`: the server does not know, and the name in the dialog counts. */
export type AnsweredBy = (request: IncomingMessage) => Promise<string | undefined>

/** Rejects with a `TroupeError` where the function fails: the answer is then not given. */
export function answeredBy(given: AnswerName | undefined): AnsweredBy {
  if (typeof given !== 'function') return () => Promise.resolve(given)
  return async (request) => {
    try {
      return await askUser('by of inspector', () => given(request), nameOrNothing)
    } catch (cause) {
      throw new TroupeError(
        'INSPECTOR_FAILED',
        'inspector: the function "by" failed, and the answer is not given.',
        {
          cause,
        },
      )
    }
  }
}
