/** Provenance: the derivations of a run, as PROV-O in RDF, and the explanation of its answer. */
export { provenanceOf, toProvenance } from './provenance.ts'
export type { Provenance, ProvenanceOptions, ReplayingTroupe } from './provenance.ts'
export type { DefaultGraph, Literal, NamedNode, Quad } from './rdf/rdf.ts'
export { why } from './why/why.ts'
export { formatExplanation } from './why/format.ts'
export type { FormatOptions } from './why/format.ts'
export type { Choice, Explanation, Reason, ReasonKind } from './why/explanation.ts'
