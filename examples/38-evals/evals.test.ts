/** The evaluation in vitest: each case is a test, and the reasons of a case that fails are its message. */
import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { evaluate } from 'troupe/testing'
import { chooseModel } from '../support/model.ts'
import { createGuide } from './agents.ts'
import { cases } from './cases.ts'
import { judgeOf } from './judge.ts'
import { createFactuality, isSimilar } from './scorers.ts'
import { script } from './script.ts'

const source = await chooseModel(script)
afterAll(() => source[Symbol.asyncDispose]())

/** Written once by `recordTools`. */
const recording = readFileSync(new URL('tools.jsonl', import.meta.url), 'utf8')

test.each(cases)('$name', async (one) => {
  const guide = createGuide(source.model, 'after')
  const scorers = [isSimilar, createFactuality(judgeOf(source))]
  const { cases: reports } = await evaluate(guide, [{ ...one, recording }], { scorers })
  expect(reports.flatMap(({ reasons }) => reasons)).toEqual([])
})
