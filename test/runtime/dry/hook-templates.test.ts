/** The answer with which each question about a hook begins. */
import { expect, test } from 'vitest'
import { effectSchemas } from '../../../src/actors/effects/effect-kinds.ts'
import type { HookName } from '../../../src/actors/effects/effect-names.ts'
import { AppendLog } from '../../../src/actors/values/append-log.ts'
import { hookTemplate } from '../../../src/runtime/dry/hook-templates.ts'
import { readOutcome } from '../../../src/runtime/replay/fork.ts'
import { worker } from '../../support/agents/agents.ts'

const data = {
  messages: AppendLog.of([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Pay.' },
  ]),
  options: { filterInternalMessages: false },
  text: 'It is {"sum":7}.',
  next: 0,
}

const { agent } = worker('clerk', [])

test.each(Object.keys(effectSchemas().hookOutcomes) as HookName[])('%s takes its own', (hook) => {
  const template = hookTemplate({ hook, data }, agent)
  expect(readOutcome('hook', `clerk/hook:${hook}#1`, template)).toMatchObject(template as object)
})

test('those of filters and processors leave all as it is', () => {
  const messages = [{ role: 'user', content: 'Pay.' }]
  const of = (hook: HookName) => hookTemplate({ hook, data }, agent)
  expect(of('messageFilter')).toEqual(messages)
  expect(of('handoffFilter')).toEqual(messages)
  expect(of('processOutput')).toMatchObject({ text: data.text, next: 1 })
  expect(of('validateObject')).toEqual({ problem: null, object: { sum: 7 } })
})
