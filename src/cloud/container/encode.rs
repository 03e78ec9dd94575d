//! From points to a file.

use variants::Layout;

use super::{
    super::{CHUNK_POINTS, Cloud, CloudError, CloudErrorKind, Compression, Mode, Plan, chunk::pack, tokens},
    Arrangement, CODECS_OF, ContainerHeader, chunk,
    header::write_container_header,
    plan_of,
};

/// A cloud as a file of this layout. The encoders are plain ones.
///
/// # Errors
/// `Header` if the cloud contradicts itself, cannot be described by a header, quantises a packed colour, has
/// points without fields or fields that share bytes; `Unrepresentable`, with chunk, point and field, if a value
/// has no token (see [`tokens::rows`]).
///
/// # Panics
/// If the layout is `raw`, whose bytes do not say how wide they are.
pub fn encode_container<L: Layout>(
    cloud: &Cloud,
    arrangement: Arrangement,
    compression: Compression,
) -> Result<Vec<u8>, CloudError> {
    assert_ne!(L::NAME, variants::layout::Raw::NAME, "raw tokens depend on the output word");
    let refusal = |what: &str| CloudError::new(CloudErrorKind::Header, what);
    Plan::of_cloud(cloud, CODECS_OF, Mode::Lossy)?;
    let plan = plan_of(&cloud.fields, cloud.point_step)?;
    let mut file = write_container_header(&ContainerHeader {
        layout: L::NAME.to_owned(),
        arrangement,
        compression,
        width: cloud.width,
        height: cloud.height,
        point_step: u32::try_from(cloud.point_step)
            .map_err(|_| refusal("the point step has more than 32 bits"))?,
        fields: cloud.fields.clone(),
    })?;
    if cloud.data.is_empty() {
        return Ok(file);
    }
    if cloud.fields.is_empty() {
        return Err(refusal("points without a field cannot be written"));
    }
    let runs: Vec<Vec<Vec<u64>>> = match arrangement {
        Arrangement::Rows => tokens::rows(cloud)?.into_iter().map(|run| vec![run]).collect(),
        Arrangement::Columns => tokens::columns(cloud)?,
    };
    // A cloud without token fields has no runs at all.
    let mut runs = runs.into_iter();
    for points in cloud.data.chunks(CHUNK_POINTS * plan.point_step) {
        let mut bytes = Vec::new();
        for run in runs.next().unwrap_or_default() {
            chunk::push(&mut bytes, |bytes| L::encode(&run, bytes))?;
        }
        for step in chunk::other_steps(&plan) {
            chunk::push(&mut bytes, |bytes| chunk::write_other(step, points, plan.point_step, bytes))?;
        }
        let bytes = pack(bytes, compression)?;
        let length = u32::try_from(bytes.len())
            .map_err(|_| CloudError::new(CloudErrorKind::Chunks, "a chunk has more than 4 GiB"))?;
        file.extend(length.to_le_bytes());
        file.extend(bytes);
    }
    Ok(file)
}
