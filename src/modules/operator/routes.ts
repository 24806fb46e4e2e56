import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { setLimits } from '#modules/access/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { handle } from '#platform/http/operation.ts'
import { changeCell } from './change-cell.ts'
import { type DeletionContext, deleteBusiness, undeleteBusiness } from './delete-business.ts'
import { type ExportContext, linkExport, readExports, startExport } from './export-business.ts'
import { changeJob, changeJobs, listJobs } from './jobs.ts'
import { listAudit } from './list-audit.ts'
import { type BusinessContext, getBusiness, listBusinesses } from './list-businesses.ts'
import { listSends } from './list-sends.ts'
import * as operation from './operations.ts'
import { listCells, type OverviewContext, readOverview } from './overview.ts'
import { type ResumeContext, resume, suspend } from './suspend-business.ts'
import { readTopUsage, readUsage } from './usage.ts'

export type OperatorOptions = Omit<OverviewContext, 'log'> &
  BusinessContext &
  DeletionContext &
  ExportContext &
  ResumeContext

/** For operators of the whole service. The guard asks for the second factor, and for a fresh proof before any change. */
export const operatorRoutes: FastifyPluginAsyncTypebox<OperatorOptions> = async (app, options) => {
  const { control } = options
  const context = { ...options, log: app.log }

  handle(app, operation.readOverview, () => readOverview(context))

  handle(app, operation.listCells, async () => ({ items: await listCells(context) }))

  handle(app, operation.setCell, ({ params, body, actor }) => changeCell(context, params.id, body, actor))

  handle(app, operation.listBusinesses, ({ query }) => listBusinesses(context, query))

  handle(app, operation.getBusiness, ({ params }) => getBusiness(context, params.id))

  handle(app, operation.suspendBusiness, async ({ params, actor, body }) => {
    await suspend(control, params.id, actor, body.reason)
    return getBusiness(context, params.id)
  })

  handle(app, operation.resumeBusiness, async ({ params, actor }) => {
    await resume(context, params.id, actor)
    return getBusiness(context, params.id)
  })

  handle(app, operation.deleteBusiness, async ({ params, query, actor }, reply) => {
    await deleteBusiness(context, params.id, { slug: query.slug, actor })
    void reply.code(202)
    return getBusiness(context, params.id)
  })

  handle(app, operation.undeleteBusiness, async ({ params, actor }) => {
    await undeleteBusiness(context, params.id, actor)
    return getBusiness(context, params.id)
  })

  handle(app, operation.startExport, async ({ params, body, actor }, reply) => {
    void reply.code(202)
    return startExport(context, params.id, body, actor)
  })

  handle(app, operation.listExports, ({ params }) => readExports(context, params.id))

  handle(app, operation.linkExport, ({ params, actor }) => linkExport(context, params, actor))

  handle(app, operation.setLimits, async ({ params, body, actor }) => {
    await transaction(control, (tx) => setLimits(tx, params.id, body, actor))
    return getBusiness(context, params.id)
  })

  handle(app, operation.readUsage, ({ params, query }) => readUsage(context, params.id, query))

  handle(app, operation.readTopUsage, ({ query }) => readTopUsage(context, query))

  handle(app, operation.listJobs, ({ query }) => listJobs(context, query))

  handle(app, operation.retryJob, ({ params, actor }) => changeJob(context, actor, 'retried', params.id))

  handle(app, operation.discardJob, ({ params, actor }) => changeJob(context, actor, 'discarded', params.id))

  handle(app, operation.retryJobs, ({ body, actor }) => changeJobs(context, actor, 'retried', body))

  handle(app, operation.discardJobs, ({ body, actor }) => changeJobs(context, actor, 'discarded', body))

  handle(app, operation.listSends, ({ query }) => listSends(context, query))

  handle(app, operation.listAudit, ({ query }) => listAudit(context, query))
}
