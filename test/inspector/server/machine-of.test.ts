/** A chart that was sent as data is drawn as its machine is. */
import { chartOf, type Chart } from 'troupe'
import { toMermaid } from 'troupe/diagram'
import { expect, test } from 'vitest'
import { machineOf } from '../../../src/inspector/server/machine-of.ts'
import { allMachines } from '../../../scripts/machines.ts'

const machines = await allMachines()

test.each(machines.map((machine) => ({ name: machine.id, machine })))('$name', ({ machine }) => {
  const chart = JSON.parse(JSON.stringify(chartOf(machine))) as Chart
  expect(toMermaid(machineOf(chart), { notes: true, actions: true })).toBe(
    toMermaid(machine, { notes: true, actions: true }),
  )
})
