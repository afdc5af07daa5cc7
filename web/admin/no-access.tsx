import { t, translate } from '#shared/i18n/t.ts'
import { roleNames } from '#shared/roles.ts'
import { roleLoggedIn } from '#web/api/tokens.ts'
import { LinkButton } from '#web/components/link-button.tsx'
import { paths } from '#web/paths.ts'
import { PageHead } from '#web/ui/section.tsx'

/** Replaces a page that the role may not open; the server refuses its reads. */
export function NoAccess() {
  const role = roleLoggedIn()
  return (
    <>
      <PageHead
        title={t('You don’t have access to this page')}
        lead={
          role
            ? t('Your role, {role}, does not include it. An admin can change your role.', {
                role: translate(roleNames[role]),
              })
            : t('Your role does not include it. An admin can change your role.')
        }
      />
      <LinkButton to={paths.admin.home}>{t('Back to the console')}</LinkButton>
    </>
  )
}
