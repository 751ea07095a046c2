/** What Restate is told of our errors, and what we make of its own. */
import { RetryableError as RestateRetryable, TerminalError as RestateTerminal } from '@restatedev/restate-sdk'
import {
  CancelledError,
  ConfigurationError,
  JournalMismatchError,
  RetryableError,
  RunNotFoundError,
  TerminalError,
  TroupeError,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { forRestate, fromRestateError, toRestateError } from '../../src/restate/wire/terminal-errors.ts'

describe('what ends an invocation', () => {
  test.for([
    [new ConfigurationError('no such agent'), 400, 'INVALID_CONFIGURATION', 'ConfigurationError'],
    [new TerminalError('done for', { code: 'NO_USE' }), 500, 'NO_USE', 'TerminalError'],
    [new CancelledError(), 500, 'CANCELLED', 'CancelledError'],
    [new RunNotFoundError('r1'), 500, 'RUN_NOT_FOUND', 'RunNotFoundError'],
    [new TroupeError('ODD', 'odd'), 500, 'ODD', 'TroupeError'],
    [
      new JournalMismatchError({ entry: 0, field: 'protocol', recorded: 1, actual: 2 }),
      500,
      'JOURNAL_MISMATCH',
      'JournalMismatchError',
    ],
  ] as const)('%s', ([error, status, code, name]) => {
    const made = toRestateError(error)
    expect(made).toBeInstanceOf(RestateTerminal)
    expect(made).toMatchObject({ message: error.message, code: status, metadata: { code, name } })
  })
})

describe('what is tried again', () => {
  test.for([
    ['what asks for it', new RetryableError('busy')],
    ['agents that another deployment may mend', mismatch('digest of the input')],
    ['an unknown key, which it may mend too', mismatch('key')],
    ['a fault of a program', new TypeError('x is undefined')],
    ["Restate's own", new RestateRetryable('later')],
    ['no error at all', 'a text'],
  ] as const)('%s', ([, thrown]) => {
    expect(toRestateError(thrown)).toBeUndefined()
  })

  test('after the delay that is asked for', () => {
    const asked = forRestate(new RetryableError('busy', { retryAfterMs: 1_500 }))
    expect(asked).toBeInstanceOf(RestateRetryable)
    expect(asked).toMatchObject({ retryAfter: 1_500 })
    const unasked = forRestate(new RetryableError('busy'))
    expect(unasked).toBeInstanceOf(RestateRetryable)
    expect(unasked).toMatchObject({ retryAfter: undefined })
  })

  test.for([new TypeError('x is undefined'), new TerminalError('done for'), 'a text', undefined])(
    'anything else goes on as it is: %s',
    (thrown) => {
      expect(forRestate(thrown)).toBe(thrown)
    },
  )
})

describe('what another workflow ended with', () => {
  test('an error of ours is what it was', () => {
    const made = toRestateError(new TerminalError('done for', { code: 'NO_USE' }))
    expect(made && fromRestateError(made, 'AGENT_FAILED')).toEqual({
      name: 'TerminalError',
      code: 'NO_USE',
      message: 'done for',
    })
  })

  test("one of Restate's has the code of where it was met", () => {
    expect(fromRestateError(new RestateTerminal('killed', { errorCode: 409 }), 'AGENT_FAILED')).toEqual({
      name: 'TerminalError',
      code: 'AGENT_FAILED',
      message: 'killed',
    })
  })
})

function mismatch(field: 'digest of the input' | 'key'): JournalMismatchError {
  return new JournalMismatchError({ entry: 3, key: 'k', field, recorded: 'a', actual: 'b' })
}
