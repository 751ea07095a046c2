import { expect, test } from 'vitest'
import { readPattern } from '../../src/actors/task-types.ts'
import { capOptions } from '../../src/runtime/options/option-table.ts'

const read = (settings: object) =>
  readPattern({ name: 'react', description: 'Acts.', settings }, 'it').settings

test('the settings of a pattern are the caps of agents, each by the name of its option', () => {
  const names = ['maxSteps', ...capOptions]
  const all = Object.fromEntries(names.map((name) => [name, 2]))
  expect(read(all)).toEqual(all)
  for (const name of names) expect(() => read({ [name]: 0 })).toThrow(`it.settings.${name}`)
  const known = /Known: (.*)\./.exec(messageOf(() => read({ bogus: 1 })))?.[1]
  expect(known?.split(', ').toSorted()).toEqual(names.toSorted())
})

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return String(error)
  }
  return ''
}
