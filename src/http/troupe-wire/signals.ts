/** Answers, messages and cancels, as clients send them. Who sends one is for `authorize` to say. */
import type { RunSignal } from '../../index.ts'
import { readSignal } from '../../kit/index.ts'
import { readAs, wrongRequest } from '../../kit/wire/index.ts'
import type { Access } from '../access/authorize.ts'
import { assertOwnFiles } from './start.ts'

type Body = Readonly<Record<string, unknown>>

const answers: readonly unknown[] = ['approve', 'deny', 'resume']

/** `approve`, `deny` or `resume`. Throws a `RefusedRequest`. */
export function readAnswer(body: Body, access: Access): RunSignal {
  if (!answers.includes(body['type'])) throw wrongRequest('type must be approve, deny or resume.')
  return signed(body, access)
}

/** Throws a `RefusedRequest`. */
export function readMessage(body: Body, access: Access): RunSignal {
  const signal = signed({ ...withoutType(body), type: 'say' }, access)
  if (signal.type === 'say') assertOwnFiles(signal.message)
  return signal
}

/** Throws a `RefusedRequest`. */
export function readCancel(body: Body, access: Access): RunSignal {
  return signed({ ...withoutType(body), type: 'cancel' }, access)
}

function signed(body: Body, { by }: Access): RunSignal {
  if (Object.hasOwn(body, 'by')) throw wrongRequest('by is set by the server.')
  const signal = readAs(() => readSignal(body))
  return by === undefined ? signal : { ...signal, by }
}

function withoutType(body: Body): Body {
  if (Object.hasOwn(body, 'type')) throw wrongRequest('there is no field "type".')
  return body
}
