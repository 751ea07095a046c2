/** Holds the address of the page and the model of the run to each other: the row, and the chosen actor. */
import { effect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RunSession } from '../connection/run-session.ts'
import type { RunModel } from '../model/run-model.ts'
import { announce } from '../shared/announcer.tsx'
import { addressOf, place, replacePlace, type RunPlace } from '../shared/router.ts'

const rest = 200

export function useAddress(session: RunSession): void {
  useEffect(() => {
    const stopReading = effect(() => {
      const current = place.value
      const model = session.model.value
      if (current.view !== 'run' || current.runId !== session.runId) return
      // While the rows on record arrive, the row of the address may be one of those that follow.
      show(model, current, session.feed.peek().state !== 'opening')
    })
    const stopWriting = effect(() => {
      const model = session.model.value
      const shown = shownPlace(model)
      if (model.length.value === 0) return
      const current = place.peek()
      if (current.view !== 'run' || current.runId !== session.runId) return
      const { row: _row, path: _path, ...others } = current
      const next = { ...others, ...shown }
      if (addressOf(next) !== addressOf(current)) replacePlace(next)
    })
    const stopSaying = sayRow(session)
    return () => {
      stopReading()
      stopWriting()
      stopSaying()
    }
  }, [session])
}

function show(model: RunModel, { row, path }: RunPlace, hasAll: boolean): void {
  if (row === undefined) model.goLive()
  else if (hasAll) model.moveTo(row)
  else model.awaitRow(row)
  const root = model.actors.roots[0]?.path
  if (path !== undefined) model.choose(path)
  else if (root !== undefined && model.path.peek() !== root) model.choose(root)
}

function shownPlace(model: RunModel): Pick<RunPlace, 'row' | 'path'> {
  const row = model.wanted.value
  const path = model.path.value
  const isRoot = path === model.actors.roots[0]?.path
  return { ...(row === undefined ? {} : { row }), ...(isRoot ? {} : { path }) }
}

/** Speaks the row that a key or a click has led to, once it rests. */
function sayRow(session: RunSession): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = effect(() => {
    const model = session.model.value
    const cursor = model.cursor.value
    const row = model.rows[cursor]
    clearTimeout(timer)
    if (model.isLive.value || row === undefined) return
    timer = setTimeout(() => {
      announce(`Entry ${cursor + 1} of ${model.length.peek()}: ${row.kind ?? row.type}, ${row.line}`)
    }, rest)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}
