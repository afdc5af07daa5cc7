import { useState } from 'react'
import { Link } from 'react-router'
import { getBrand } from '#shared/contract/brand.ts'
import { msg, t } from '#shared/i18n/t.ts'
import { ProposalsSection, useBlocked } from '#web/admin/proposals/list.tsx'
import { ProposeButton, stillLoading } from '#web/admin/proposals/propose-button.tsx'
import { TooFew } from '#web/admin/staff/too-few.tsx'
import { useRead } from '#web/api/read.ts'
import { When } from '#web/components/when.tsx'
import { consolePaths } from '#web/console-paths.ts'
import { useSite } from '#web/frame.ts'
import { pageMeta } from '#web/meta.ts'
import { DescriptionList } from '#web/ui/description-list.tsx'
import { PageHead, Section } from '#web/ui/section.tsx'
import { FailedState, Loading } from '#web/ui/states.tsx'
import { LookPreview } from './preview.tsx'
import { ProposeBrand } from './propose.tsx'
import { LogoWords, Swatches } from './swatches.tsx'

export const meta = pageMeta(msg('Brand'))

/** The height of a look with its preview: nothing moves when they come. */
const room = 'min-h-[91rem] sm:min-h-[49rem] xl:min-h-[46rem]'

/** The firm's own look, which two admins change. */
export default function BrandPage() {
  const { data, isError, refetch } = useRead(getBrand, {})
  const [open, setOpen] = useState(false)
  const blocked = useBlocked('brand')
  return (
    <>
      <PageHead
        title={t('Brand')}
        lead={t(
          'Your colours and logo on every page and email. Changes need two admins, and each colour must be readable.',
        )}
        aside={
          <ProposeButton blocked={data ? blocked : stillLoading} onClick={() => setOpen(true)}>
            {t('Propose a look')}
          </ProposeButton>
        }
      />
      <div className="grid grid-cols-1 gap-12">
        <TooFew />
        <Section title={t('Current look')}>
          {!data && isError ? (
            <FailedState onRetry={() => void refetch()}>{t('The look could not be loaded.')}</FailedState>
          ) : (
            <div className={room}>
              {!data && <Loading label={t('Loading the look')} lines={3} />}
              {data && (
                <>
                  <DescriptionList
                    entries={[
                      [t('Name'), <FirmName key="name" />],
                      [t('Colours'), <Swatches key="colours" accent={data.values.accent} />],
                      [t('Logo'), <LogoWords key="logo" logo={data.values.logo} />],
                      [t('In force since'), data.changedAt && <When key="at" at={data.changedAt} />],
                    ]}
                  />
                  <LookPreview look={data.values} />
                </>
              )}
            </div>
          )}
        </Section>
        <ProposalsSection kind="brand" />
      </div>
      {open && data && <ProposeBrand look={data.values} onClose={() => setOpen(false)} />}
    </>
  )
}

function FirmName() {
  const { firm } = useSite()
  return (
    <>
      <bdi>{firm.productName}</bdi>{' '}
      <Link className="prose-link" to={consolePaths.firm}>
        {t('Change it under Firm')}
      </Link>
    </>
  )
}
