/** The models of an agent in a row: the first one is called, and after its failure the next one. */
import { fallsOn, type FallbackRule } from '../../actors/models/fallbacks.ts'
import type { ErrorData } from '../../errors.ts'
import { event, type MachineEvent } from './events.ts'

/** The models that follow the first one, and what leads to them. */
export interface FallbackProfile {
  /** Provider and model id of each, in their order. */
  readonly models: readonly string[]
  readonly on: readonly FallbackRule[]
}

/** The part of a profile that names the models. */
export interface ModelRow {
  /** Provider and model id of the first one. */
  readonly model: string
  /** Absent: there is no other. */
  readonly fallbacks?: FallbackProfile | undefined
}

/** The model at a place of the row, from 0. */
export function modelAt({ model, fallbacks }: ModelRow, place: number): string {
  return place === 0 ? model : (fallbacks?.models[place - 1] ?? model)
}

/** As fields of an effect: the model that is called, and its place where that is not the first. */
export function calledModel(row: ModelRow, place: number): { model: string; fallback?: number } {
  return { model: modelAt(row, place), ...(place === 0 ? {} : { fallback: place }) }
}

/** The model at this place has failed, and another one follows that may be called. */
export function mayFallBack({ fallbacks }: ModelRow, place: number, error: ErrorData | undefined): boolean {
  if (fallbacks === undefined || error === undefined) return false
  return place < fallbacks.models.length && fallsOn(fallbacks.on, error)
}

/** The event of the fall from the model at this place to the next one. Those on record are named, where the error has them. */
export function fallbackEvent(
  row: ModelRow,
  place: number,
  error: ErrorData,
  message?: string,
): MachineEvent {
  const { called, ...reason } = error
  const from = called?.model ?? modelAt(row, place)
  const to = called?.next ?? modelAt(row, place + 1)
  return event('model-fallback', { from, to, error: reason }, message)
}
